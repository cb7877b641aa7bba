# What the layer would only log, once the program runs, is refused before it starts.
for option in '--skip-passes xyz' '--slots 1000' '--profile-file a%q' '--bundle %b' '--probes frob' '--frames 200-100'; do
    wavepgo run --generate $option -- echo started; echo $?
done
WAVEPGO_PROFIL_FILE=x wavepgo run --generate -- echo started; echo $?
WAVEPGO_UNIFORM_SHARE=2 wavepgo run --generate -- echo started; echo $?
WAVEPGO_ENABLE=1 WAVEPGO_SLOTS= wavepgo run --generate -- echo started; echo $?
# A bad line of a file is the layer's to tell, once.
echo wavepgo_shader_pgo.slots = 3 > vk_layer_settings.txt
wavepgo run --generate -- echo started; echo $?
