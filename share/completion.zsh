#compdef bankscope
# Bankscope's completion for zsh. The program itself says what may come next
# (`bankscope --complete WORD...`), from the tables that it reads its options with.
_bankscope() {
    local -a said plain open extensions
    local line value what files= found=1
    said=("${(@f)$(${(Q)words[1]} --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $said; do
        value=${line%%$'\t'*}
        what=${line#*$'\t'}
        if [[ $line == $'\tfiles'* ]]; then
            files=yes
            extensions=(${=what#files})
        elif [[ $value == *= ]]; then
            open+=("${value//:/\\:}:$what")
        elif [[ $line == *$'\t'* ]]; then
            plain+=("${value//:/\\:}:$what")
        else
            plain+=("${value//:/\\:}")
        fi
    done
    (( $#open )) && _describe -t parameters parameter open -S '' && found=0
    (( $#plain )) && _describe -t words word plain && found=0
    if [[ -n $files ]] && (( $#extensions )); then
        _files -g "*.(${(j:|:)${extensions[@]#.}})" && found=0
    elif [[ -n $files ]]; then
        _files && found=0
    fi
    return found
}
_bankscope "$@"
