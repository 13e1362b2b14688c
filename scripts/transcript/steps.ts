import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.js';

/** A command as a new user types it, and what is told before it. */
export interface Step {
  readonly told?: string;
  readonly line: string;
  readonly exitCode?: number;
}

/** From krew to a cluster that works again, and back. */
export const steps: readonly Step[] = [
  {
    told: 'krew installs the archive of a release by its manifest. From krew’s index it will be `kubectl krew install webhook`.',
    line: 'kubectl krew install --manifest=webhook.yaml --archive=kubectl-webhook_linux_amd64.tar.gz',
  },
  { line: 'kubectl webhook --version' },
  {
    told: 'A broken webhook to look at, without a cluster:',
    line: 'kubectl webhook demo service-port-missing',
  },
  {
    told: 'krew links one name only; the other one is what makes kubectl complete the plugin. The last command is what a shell asks for at a Tab.',
    line: 'kubectl webhook completion install',
  },
  { line: 'kubectl __complete webhook cert 2>/dev/null' },
  {
    told: 'A real cluster. A product was uninstalled here, its webhook was not:',
    line: 'kubectl create configmap menu -n shop --from-literal=soup=tomato',
    exitCode: 1,
  },
  { line: 'kubectl webhook doctor policy', exitCode: 1 },
  {
    told: 'Without `--yes` it asks; a deletion then wants the name to be typed. `kubectl webhook undo` would restore it.',
    line: 'kubectl webhook fix orphaned-configuration --remedy delete-orphaned-configuration --yes',
  },
  { line: 'kubectl create configmap menu -n shop --from-literal=soup=tomato' },
  {
    told: 'Uninstalled again. krew removes only what it linked. The journal of changes stays in ~/.local/state/kubectl-webhook, so `undo` still works after a new installation.',
    line: 'kubectl krew uninstall webhook',
  },
  { line: 'rm ~/.krew/bin/kubectl_complete-webhook' },
  { line: 'kubectl webhook --version', exitCode: 1 },
];

/** What is left of a product that was uninstalled; it stops ConfigMaps of one namespace. */
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

/** The page: each command with what it printed. */
export function transcriptPage(krew: string, printed: readonly string[]): string {
  const blocks = steps.map(({ told, line }, at) => {
    const text = `$ ${line}\n${printed[at] ?? ''}`.trimEnd();
    return `${told === undefined ? '' : `${told}\n\n`}\`\`\`console\n${text}\n\`\`\`\n`;
  });
  return `# From installation to uninstallation

Recorded by \`node scripts/transcript/record.ts\` in a root directory that holds kubectl, krew ${krew}, a
shell, and the C and C++ libraries that other programs need, too. No Node.

${blocks.join('\n')}`;
}

/** What the page shows, command by command, without the prompt. */
export function recordedSteps(): readonly { readonly line: string; readonly printed: string }[] {
  const page = readFileSync(transcriptFile, 'utf8').replaceAll('\r\n', '\n');
  return [...page.matchAll(/^```console\n\$ (.*)\n([\s\S]*?)```$/gm)].map(([, line = '', printed = '']) => ({
    line,
    printed,
  }));
}
