import { Args, Command, Flags } from '@oclif/core';
import { choice, choiceOr, probeLevel, repeated } from '../cli/flags.ts';
import { clusterOptions, kubeFlags } from '../cli/kube-flags.ts';
import type { Subject } from '../render/rbac/rbac-object.ts';
import {
  clusterDryRunPermissions,
  commandsWithPermissions,
  needsCluster,
  rbacManifests,
} from '../workflows/rbac/rbac.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** A ServiceAccount in kubectl's notation `NAMESPACE:NAME`. */
const account = /^(?<namespace>[^:]+):(?<name>[^:]+)$/;

/** A Secret in the notation `NAMESPACE/NAME`. */
const secretName = /^[^/]+\/[^/]+$/;

class NoServiceAccount extends Error {
  readonly exitCode = 2;
}

function serviceAccount(text: string): Subject {
  const { namespace, name } = account.exec(text)?.groups ?? {};
  if (namespace === undefined || name === undefined)
    throw new NoServiceAccount(`invalid --serviceaccount "${text}": must be NAMESPACE:NAME`);
  return { kind: 'ServiceAccount', name, namespace };
}

const subjectsOf = (flags: {
  readonly serviceaccount?: readonly string[] | undefined;
  readonly 'for-user'?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
}): readonly Subject[] => [
  ...(flags.serviceaccount ?? []).map(serviceAccount),
  ...(flags['for-user'] ?? []).map((name) => ({ kind: 'User' as const, apiGroup, name })),
  ...(flags.group ?? []).map((name) => ({ kind: 'Group' as const, apiGroup, name })),
];

export default class Rbac extends Command {
  static override description =
    `Prints one role for each COMMAND (default: doctor) with exactly the permissions that it uses, for "kubectl apply -f -".
A role may grant less: the command then reports what it could not read, and continues.

With -n, permissions for backends (Pods, Secrets, port-forward) are granted as Roles in these namespaces only. Secrets
are only read by name, never listed.

The dry runs of doctor need permission to create the objects that webhooks match. These permissions depend on the
webhooks of the cluster. With --probe connect they are not needed, and neither is a cluster. -f adds the webhooks of manifests
that are not applied yet: wait needs its permissions before the product is installed.`;
  static override examples = [
    'kubectl webhook rbac --probe connect | kubectl apply -f -',
    'kubectl webhook rbac cert-check --serviceaccount monitoring:webhook-check',
    '$ helm template web | kubectl webhook rbac wait -f - --serviceaccount shop:ci',
    'kubectl webhook rbac -n cert-manager -n kyverno --probe connect --group sre',
    'kubectl webhook rbac fix --remedy inject-ca-bundle --probe none',
  ];
  static override strict = false;
  static override args = {
    command: Args.string({
      name: 'COMMAND',
      description: 'commands to allow (default: doctor)',
      options: [...commandsWithPermissions],
      ignoreStdin: true,
    }),
  };
  static override flags = {
    output: choiceOr('yaml', ['yaml', 'json'], 'yaml explains each rule in a comment; json is one List', {
      char: 'o',
      helpValue: 'yaml|json',
    }),
    probe: probeLevel('the --probe value of doctor, fix and cert-check'),
    filename: repeated({
      char: 'f',
      helpValue: 'FILE',
      description:
        'include the dry runs of webhooks in this file or directory, which is not applied yet; - for stdin',
    }),
    remedy: repeated({ helpValue: 'REMEDY', description: 'for fix and undo: only these remedies' }),
    'restore-with': choice(
      ['cronjob'],
      'for failopen and undo: include the permissions for the restoring CronJob',
    ),
    secret: repeated({
      helpValue: 'NAMESPACE/NAME',
      description: 'for serve: allow to watch this Secret with a serving certificate',
    }),
    watch: Flags.boolean({
      char: 'w',
      description: 'for doctor and list: include the permissions for --watch',
    }),
    serviceaccount: repeated({
      helpValue: 'NAMESPACE:NAME',
      description: 'bind the roles to this ServiceAccount',
    }),
    group: repeated({ helpValue: 'GROUP', description: 'bind the roles to this group' }),
    'for-user': repeated({ helpValue: 'USER', description: 'bind the roles to this user' }),
    ...kubeFlags,
    namespace: repeated({
      char: 'n',
      helpValue: 'NAME',
      description: 'grant permissions for backends in this namespace only; may be repeated',
    }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Rbac);
    const commands = argv.length === 0 ? ['doctor'] : [...new Set(argv as string[])];
    const unknown = commands.find((name) => !commandsWithPermissions.includes(name));
    if (unknown !== undefined)
      this.error(`invalid argument "${unknown}": must be one of ${commandsWithPermissions.join(', ')}`, {
        exit: 2,
      });
    const { probe, namespace: namespaces = [], remedy: remedies = [], filename = [] } = flags;
    const { namespace: _, ...cluster } = flags;
    const { secret: secrets = [] } = flags;
    const wrong = secrets.find((name) => !secretName.test(name));
    if (wrong !== undefined) this.error(`invalid --secret "${wrong}": must be NAMESPACE/NAME`, { exit: 2 });
    const dryRuns = needsCluster({ commands, probe })
      ? await clusterDryRunPermissions(clusterOptions(cluster, 60_000), filename)
      : [];
    const request = {
      commands,
      probe,
      remedies,
      secrets,
      watch: flags.watch,
      restorer: flags['restore-with'] === 'cronjob',
      dryRuns,
      namespaces,
      subjects: subjectsOf(flags),
    };
    const { renderRbac } = await import('../render/rbac/render-rbac.ts');
    process.stdout.write(renderRbac(rbacManifests(request), flags.output));
  }
}
