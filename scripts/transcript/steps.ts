import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.js';

/** A command of a new user, and the text before it. */
export interface Step {
  readonly intro?: string;
  readonly line: string;
  readonly exitCode?: number;
}

/** From the installation with krew to a working cluster. */
export const steps: readonly Step[] = [
  {
    intro:
      'krew installs the archive of a release by its manifest. From krew’s index it will be `kubectl krew install webhook`.',
    line: 'kubectl krew install --manifest=webhook.yaml --archive=kubectl-webhook_linux_amd64.tar.gz',
  },
  { line: 'kubectl webhook --version' },
  {
    intro: 'A failing webhook, without a cluster:',
    line: 'kubectl webhook demo service-port-missing',
  },
  {
    intro:
      'krew links one program only. This command adds the program that kubectl runs to complete the plugin. A shell runs the last command when you press Tab.',
    line: 'kubectl webhook completion install',
  },
  { line: 'kubectl __complete webhook cert 2>/dev/null' },
  {
    intro: 'On a real cluster, a product was uninstalled, and its webhook configuration remains:',
    line: 'kubectl create configmap menu -n shop --from-literal=soup=tomato',
    exitCode: 1,
  },
  { line: 'kubectl webhook doctor policy', exitCode: 1 },
  {
    intro:
      'Without `--yes` it asks, and a deletion requires the typed name. `kubectl webhook undo` restores the object.',
    line: 'kubectl webhook fix orphaned-configuration --remedy delete-orphaned-configuration --yes',
  },
  { line: 'kubectl create configmap menu -n shop --from-literal=soup=tomato' },
  {
    intro:
      'Uninstall it. krew removes only what it linked. The journal of changes remains in ~/.local/state/kubectl-webhook, so `undo` works after a new installation.',
    line: 'kubectl krew uninstall webhook',
  },
  { line: 'rm ~/.krew/bin/kubectl_complete-webhook' },
  { line: 'kubectl webhook --version', exitCode: 1 },
];

/** The configuration of an uninstalled product; it blocks ConfigMaps of one namespace. */
export const leftBehind = (namespace: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: {
    name: 'policy',
    annotations: {
      'meta.helm.sh/release-name': 'policy',
      'meta.helm.sh/release-namespace': 'policy-system',
    },
  },
  webhooks: [
    {
      name: 'policy.example.com',
      clientConfig: { service: { namespace: 'policy-system', name: 'policy' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

export const transcriptFile = join(root, 'docs', 'transcript.md');

/** The page: each command and its output. */
export function transcriptPage(krew: string, printed: readonly string[]): string {
  const blocks = steps.map(({ intro, line }, at) => {
    const text = `$ ${line}\n${printed[at] ?? ''}`.trimEnd();
    return `${intro === undefined ? '' : `${intro}\n\n`}\`\`\`console\n${text}\n\`\`\`\n`;
  });
  return `# From installation to uninstallation

Use this page to see an installation, a first fix and the uninstallation. Recorded by
\`node scripts/transcript/record.ts\` in a root directory with kubectl, krew ${krew}, a
shell, and the usual C and C++ libraries, without Node.

${blocks.join('\n')}`;
}

/** Recorded commands and their output, without the prompt. */
export function recordedSteps(): readonly { readonly line: string; readonly printed: string }[] {
  const page = readFileSync(transcriptFile, 'utf8').replaceAll('\r\n', '\n');
  return [...page.matchAll(/^```console\n\$ (.*)\n([\s\S]*?)```$/gm)].map(([, line = '', printed = '']) => ({
    line,
    printed,
  }));
}
