# What the completion of zsh offers, in an interactive zsh on a terminal of its own (zsh/zpty).
# `zsh -f completion.zsh FOLDER-OF-_wavepgo WAVEPGO-BINARY FOLDER`
site=$1 wavepgo=$2 work=$3
zmodload zsh/zpty 2>/dev/null || { print "skip: this zsh has no module zsh/zpty"; exit 77 }
cd $work || exit 1
: >'game.profdata'
refused=0 checks=0

# In the inner shell each TAB writes what is offered to the file `offered` and leaves the line alone.
cat >setup <<'END'
PROMPT=
fpath=($site $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
    # With -O, -A and -D completion functions ask for themselves.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >>$work/offered.part
    builtin compadd "$@"
}
finish() {
    compstate[list]= compstate[insert]=
    command mv $work/offered.part $work/offered
}
zle -C complete_once complete-word _main_complete
press_tab() {
    : >$work/offered.part
    comppostfuncs=(finish)
    zle complete_once
    BUFFER=
}
zle -N press_tab
bindkey '^I' press_tab
: >$work/ready
END
zpty shell TERM=vt100 site=${(q)site} work=${(q)work} zsh -f -i
await() { # FILE
    local -i tries=0
    local output
    while [[ ! -e $1 ]]; do
        ((tries++ < 400)) || { print "FAIL: the inner shell does not answer: $1"; exit 1 }
        while zpty -r -t shell output 2>/dev/null; do :; done
        sleep 0.05
    done
}
zpty -w shell "source ${(q)work}/setup"
await ready

# offers WANTED... --- LINE: as in completion.bash.
offers() {
    local -a wanted found
    local only= word
    while [[ $1 != --- ]]; do
        wanted+=("$1")
        shift
    done
    [[ $wanted[1] != '=' ]] || { only=yes; shift wanted }
    [[ -n $only ]] || (($#wanted)) || { print "FAIL: $2: nothing to look for"; refused=1 }
    rm -f offered
    zpty -w -n shell "$2"$'\t'
    await offered
    found=(${(f)"$(<offered)"})
    for word in $wanted; do
        if [[ $word == !* ]]; then
            (( ! $found[(Ie)${word#!}] )) || { print "FAIL: $2: ${word#!} is offered"; refused=1 }
        else
            (( $found[(Ie)$word] )) || { print "FAIL: $2: $word is not offered, but: $found"; refused=1 }
        fi
    done
    [[ -z $only || $#found == $#wanted ]] || { print "FAIL: $2: offered are $#found: $found"; refused=1 }
    ((checks++))
}

offers $($wavepgo help | sed -n 's/^  wavepgo \([a-z]*\).*/\1/p' | sort -u) --- 'wavepgo '
for command in run merge show instrument verify estimate isa doctor gpu install uninstall clean; do
    offers $($wavepgo $command --help | sed -n 's/^  \(--[-a-z0-9]*\).*/\1/p' | sort -u) --- "wavepgo $command --"
done
offers = --flush-interval --- 'wavepgo run --flu'
offers settings run $($wavepgo help settings | sed -n 's/^  \([A-Z_]*\) .*/\1/p') --- 'wavepgo help '
offers = off generate use tune --- 'wavepgo run --mode '
offers = off generate use tune --- 'wavepgo run --mode='
offers = additive auto --- 'wavepgo instrument in.spv --strategy a'
offers = hsa pal --- 'wavepgo isa x.spv --abi '
offers loops --- 'wavepgo run --probes branches,lo'
offers 'game.profdata' --- 'wavepgo run --use ga'
offers 'game.profdata' --- 'wavepgo show --blocks ga'
offers printf '!--generate' --- 'wavepgo run --generate -- printf'
offers 'game.profdata' --- 'wavepgo run --generate -- cat ga'
zpty -d shell
((refused == 0)) || exit 1
print "zsh: $checks completions"
