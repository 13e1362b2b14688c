import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../scripts/bundle.js';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { run } from '../cluster/run-command.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { inTerminal } from '../support/tmux.ts';

/** A shell with one start-up file from our folder, and nothing of the user's. */
interface Shell {
  readonly startUp: string;
  /** Its prompt is "$ ". */
  readonly before: string;
  /** The line that starts kubectl's own completion, as users have it. */
  readonly start: string;
  readonly command: (folder: string) => readonly string[];
}

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    startUp: 'bashrc',
    before: "PS1='$ '\nsource /usr/share/bash-completion/bash_completion",
    start: 'source <(kubectl webhook completion bash)',
    command: (folder) => ['bash', '--noprofile', '--rcfile', join(folder, 'bashrc'), '-i'],
  },
  zsh: {
    startUp: '.zshrc',
    before: "PS1='$ '\nautoload -Uz compinit && compinit -u -D",
    start: 'source <(kubectl webhook completion zsh)',
    command: () => ['zsh', '-d', '-i'],
  },
  fish: {
    startUp: 'fish/config.fish',
    before:
      "function fish_prompt\n  echo '$ '\nend\nset -g fish_greeting ''\nset -g fish_features no-query-term",
    start: 'kubectl webhook completion fish | source',
    command: () => ['fish', '-i'],
  },
};

const installed = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));

/** A webhook for requests of one namespace, without a backend. */
const configuration = (namespace: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: `tabbed-${namespace}` },
  webhooks: [
    {
      name: 'tabbed.example.com',
      clientConfig: { service: { namespace, name: 'nobody' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

describe('completion in a shell', function () {
  this.timeout(170_000);
  needs('api-server');
  const scene = useScene(() => apiServer());

  /** A folder of PATH as krew creates it, with one link and the files of `completion install`. */
  async function installedPlugin(folder: string): Promise<Readonly<Record<string, string>>> {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(join(root, 'bin', 'kubectl-webhook'), join(bin, 'kubectl-webhook'));
    const kubectl = await kubectlBinary();
    const path = [bin, dirname(kubectl), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    const env = { PATH: path, HOME: folder, ZDOTDIR: folder, XDG_CONFIG_HOME: folder, LANG: 'C.UTF-8' };
    await run(kubectl, ['webhook', 'completion', 'install'], { env });
    return { ...env, KUBECONFIG: scene.kubeconfig };
  }

  for (const [name, shell] of Object.entries(shells)) {
    it(`${name}: commands, configurations of the cluster, values of flags`, async function () {
      if (!installed(name)) {
        if (process.env.CI === 'true')
          throw new Error(`Nothing may be skipped in CI: ${name} is not installed`);
        return this.skip();
      }
      const { metadata } = configuration(scene.namespace);
      await scene.create(configuration(scene.namespace));
      const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-tab-'));
      const env = await installedPlugin(folder);
      const file = join(folder, shell.startUp);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${shell.before}\n${shell.start}\n`);
      const terminal = await inTerminal(shell.command(folder), env);
      /** Types, presses Tab, and waits; several times, since a busy machine may be too slow for one. */
      async function completes(typed: string, whole: string, tries = 5): Promise<void> {
        await terminal.press('C-u', typed, 'Tab');
        const seen = new RegExp(`\\$ ${whole}`);
        await terminal.shows(seen, 10_000).catch((error: Error) => {
          if (tries === 1) throw error;
          return completes(typed, whole, tries - 1);
        });
      }
      try {
        await terminal.shows(/^\$/m);
        await completes('kubectl webhook cert-c', 'kubectl webhook cert-check');
        await completes('kubectl webhook doctor tabbed-', `kubectl webhook doctor ${metadata.name}`);
        await completes('kubectl webhook doctor --fail-on n', 'kubectl webhook doctor --fail-on never');
      } finally {
        await terminal.close();
      }
    });
  }
});
