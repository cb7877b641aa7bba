/* No control flow: every wave enters whole, tail waves with their own entry mask. */
KERNEL(straight)
    r = IN(0) * 3u + IN(1);
END
