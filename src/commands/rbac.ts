import { Args, Command, Flags } from '@oclif/core';
import { closest, withSuggestion } from '../cli/explain-error.ts';
import { repeated } from '../cli/flags.ts';
import { kubeFlags, verbosity, wayTo } from '../cli/kube-flags.ts';
import { printRbac } from '../cli/print.ts';
import type { Subject } from '../render/rbac/rbac-object.ts';
import {
  clusterDryRunRights,
  commandsWithRights,
  needsCluster,
  rbacManifests,
} from '../workflows/rbac/rbac.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** A ServiceAccount as kubectl spells it on the command line. */
const account = /^(?<namespace>[^:]+):(?<name>[^:]+)$/;

class NoServiceAccount extends Error {
  readonly exitCode = 2;
}

function serviceAccount(text: string): Subject {
  const { namespace, name } = account.exec(text)?.groups ?? {};
  if (namespace === undefined || name === undefined)
    throw new NoServiceAccount(`--serviceaccount takes NAMESPACE:NAME, not "${text}"`);
  return { kind: 'ServiceAccount', name, namespace };
}

/** Whom the flags name, as a binding has them. */
const subjectsOf = (flags: {
  readonly serviceaccount?: readonly string[] | undefined;
  readonly 'for-user'?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
}): readonly Subject[] => [
  ...(flags.serviceaccount ?? []).map(serviceAccount),
  ...(flags['for-user'] ?? []).map((name) => ({ kind: 'User' as const, apiGroup, name })),
  ...(flags.group ?? []).map((name) => ({ kind: 'Group' as const, apiGroup, name })),
];

/** The least roles for commands. */
export default class Rbac extends Command {
  static override description =
    `One role for each COMMAND, doctor unless named, with exactly what it asks a cluster for: for people, for a CronJob, for
"kubectl apply -f -". Where something may not be read, the command says so and goes on: a role may be narrower.

With -n, what backends need (their Pods, Secrets, port-forward) is granted in those namespaces only, as Roles. Secrets
are only read by name, never listed; listing Pods is what finds the names.

doctor's dry runs take the right to create what webhooks cover. They are worked out from the webhooks of the cluster;
with --probe connect there are none, and no cluster is asked.`;
  static override examples = [
    'kubectl webhook rbac --probe connect | kubectl apply -f -',
    'kubectl webhook rbac cert-check --serviceaccount monitoring:webhook-check',
    'kubectl webhook rbac -n cert-manager -n kyverno --probe connect --group sre',
    'kubectl webhook rbac fix --remedy inject-ca-bundle --probe none',
  ];
  static override strict = false;
  static override args = {
    command: Args.string({
      name: 'COMMAND',
      description: 'what shall be allowed; doctor unless named',
      options: [...commandsWithRights],
      ignoreStdin: true,
    }),
  };
  static override flags = {
    output: Flags.option({
      char: 'o',
      helpValue: 'yaml|json',
      options: ['yaml', 'json'] as const,
      default: 'yaml',
      description: 'yaml says what each rule is for; json is one List',
    })(),
    probe: Flags.option({
      options: ['none', 'connect', 'review'] as const,
      default: 'review',
      helpValue: 'none|connect|review',
      description: 'how far doctor, fix and cert-check shall look',
    })(),
    remedy: repeated({ helpValue: 'REMEDY', description: 'of fix and undo: only these remedies' }),
    'restore-with': Flags.option({
      options: ['cronjob'] as const,
      description: 'of failopen and undo: with what a restoring CronJob takes',
    })(),
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
      description: 'grant what backends need in this namespace only; may be repeated',
    }),
    v: verbosity,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Rbac);
    const commands = argv.length === 0 ? ['doctor'] : [...new Set(argv as string[])];
    const unknown = commands.find((name) => !commandsWithRights.includes(name));
    if (unknown !== undefined) {
      const sentence = withSuggestion(
        `no rights are declared for "${unknown}"`,
        closest(unknown, commandsWithRights),
      );
      this.error(`${sentence}\nThere are: ${commandsWithRights.join(', ')}`, { exit: 2 });
    }
    const { probe, namespace: namespaces = [], remedy: remedies = [] } = flags;
    const { namespace: _, ...cluster } = flags;
    const dryRuns = needsCluster({ commands, probe })
      ? await clusterDryRunRights(wayTo(cluster, 60_000))
      : [];
    const asked = {
      commands,
      probe,
      remedies,
      restorer: flags['restore-with'] === 'cronjob',
      dryRuns,
      namespaces,
      subjects: subjectsOf(flags),
    };
    await printRbac(rbacManifests(asked), flags.output);
  }
}
