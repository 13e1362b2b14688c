interface Shell {
  /** What the shell runs at start so that kubectl, and with it its plugins, are completed. */
  readonly line: string;
  readonly file: string;
  /** True in the shell when it already completes kubectl; then nothing is to be done. */
  readonly guarded: string;
}

/** kubectl completes its plugins itself; a shell needs kubectl's own completion and nothing else. */
export const shells: Readonly<Record<string, Shell>> = {
  bash: {
    line: 'source <(kubectl completion bash)',
    file: '~/.bashrc',
    guarded: 'declare -F __start_kubectl >/dev/null || source <(kubectl completion bash)',
  },
  zsh: {
    line: 'source <(kubectl completion zsh)',
    file: '~/.zshrc, behind compinit',
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

/** A script for that shell; it can be read, or run at the shell's start. `installed`: the program that kubectl asks. */
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
