import { join } from 'node:path';
import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { argument, probeLevel, timeout } from '../cli/flags.ts';
import { clusterOptions, clustersFlags, contextsOf, kubeFlags } from '../cli/kube-flags.ts';
import { printProblem } from '../cli/print.ts';
import { programVersion } from '../cli/program.ts';
import type { EachCluster } from '../workflows/cluster/each-cluster.ts';

export default class Snapshot extends Command {
  static override description =
    `Reads and probes the cluster as "doctor --deep" does, and saves the result in one file. With --from-snapshot FILE,
doctor, cert-check, list, trace, what-if, explain, alerts and lint read that file instead of a cluster. They report the
same, on any machine and at any time. Attach it to a bug report, or save one before an upgrade.

FILE is compressed if its name ends in .gz; - is standard output. It contains no private keys, tokens or values of
Secrets. Environment variables and arguments are left out, except paths, numbers, leader election and proxy settings.
Log lines of failed containers are included. --redact replaces the names of namespaces, Nodes, Pods, Services and
workloads, and of webhooks that belong to no known product. With --contexts or --all-contexts, FILE is a directory for
one file of each cluster (default: the current directory).

Exit codes: 0 written; 2 wrong usage, no cluster, or the file cannot be written; 3 written, but something could not be
read.`;
  static override examples = [
    'kubectl webhook snapshot',
    'kubectl webhook snapshot before.json.gz --redact',
    '$ kubectl webhook snapshot - | kubectl webhook doctor --from-snapshot -',
  ];
  static override args = {
    file: argument('FILE', 'the file to write (default: webhooks-TIME.json.gz)'),
  };
  static override flags = {
    deep: Flags.boolean({ hidden: true, description: 'no longer needed: every backend is examined' }),
    probe: probeLevel(),
    redact: Flags.boolean({ description: 'replace names consistently' }),
    timeout,
    ...clustersFlags,
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Snapshot);
    const now = new Date();
    const contexts = contextsOf(flags);
    if (contexts !== undefined && args.file === '-')
      this.error('the snapshots of several clusters need a directory', { exit: 2 });
    const run = startRun();
    const { factsToSave } = await import('../workflows/doctor.ts');
    const { makeDirectory, snapshotName, writeSnapshot } = await import(
      '../workflows/input/snapshot-file.ts'
    );
    const { onCluster } = await import('../workflows/cluster/with-cluster.ts');
    const { eachCluster } = await import('../workflows/cluster/each-cluster.ts');
    if (contexts !== undefined) await makeDirectory(args.file ?? '.');
    const save: EachCluster<boolean>['look'] = async (options, onStage) => {
      const named = (context?: string): string => snapshotName(now, context);
      const file =
        contexts === undefined
          ? (args.file ?? named())
          : join(args.file ?? '.', named(options.flags.context));
      const snapshot = await onCluster(options, (reader, prober) =>
        factsToSave(reader, {
          now,
          onStage,
          probe: { level: flags.probe, prober },
        }),
      );
      const written = await writeSnapshot(snapshot, { file, redact: flags.redact, program: programVersion });
      if (contexts === undefined) run.stop();
      const { renderWritten } = await import('../render/snapshot.ts');
      process.stderr.write(renderWritten(file, snapshot, written));
      return snapshot.notLookedAt.length === 0;
    };
    const complete = await run.result(
      eachCluster({
        options: clusterOptions(flags, flags.timeout, run.interrupted),
        contexts,
        probes: flags.probe !== 'none',
        look: save,
        unreached: ({ context, error }) => {
          printProblem(`${context}: not saved: ${error}`);
          return false;
        },
        onStage: run.stage,
      }),
    );
    process.exitCode = run.exitCode(complete.every(Boolean) ? 0 : 3);
  }
}
