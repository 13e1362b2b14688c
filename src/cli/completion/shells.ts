interface Shell {
  /** Code for the shell's startup file that enables completion of kubectl, including its plugins. */
  readonly line: string;
  readonly file: string;
  /** A test in the shell that is true if kubectl has completion already; then nothing is done. */
  readonly guarded: string;
}

/** kubectl completes its plugins itself: a shell only needs kubectl's own completion. */
export const shells: Readonly<Record<string, Shell>> = {
  bash: {
    line: 'source <(kubectl completion bash)',
    file: '~/.bashrc',
    guarded: 'declare -F __start_kubectl >/dev/null || source <(kubectl completion bash)',
  },
  zsh: {
    line: 'source <(kubectl completion zsh)',
    file: '~/.zshrc, after compinit',
    guarded: '(( $+functions[_kubectl] )) || source <(kubectl completion zsh)',
  },
  fish: {
    line: 'kubectl completion fish | source',
    file: '~/.config/fish/config.fish',
    guarded: 'functions -q __kubectl_perform_completion; or kubectl completion fish | source',
  },
  powershell: {
    line: 'kubectl completion powershell | Out-String | Invoke-Expression',
    file: '$PROFILE',
    guarded:
      'if (-not $__kubectlCompleterBlock) { kubectl completion powershell | Out-String | Invoke-Expression }',
  },
};

/** A completion script for the start of the shell. `installed`: the program that kubectl calls. */
export function shellScript(name: string, installed: string | undefined): string {
  const shell = shells[name];
  if (shell === undefined) throw new RangeError(`no shell ${name}`);
  const { guarded, line, file } = shell;
  const state =
    installed === undefined
      ? '# The completion program is not on PATH. Install it with: kubectl webhook completion install'
      : '# The completion program is on PATH: kubectl_complete-webhook.';
  return [
    `# kubectl completes "kubectl webhook" itself; kubectl's completion in ${file} suffices:`,
    `#   ${line}`,
    state,
    guarded,
    '',
  ].join('\n');
}
