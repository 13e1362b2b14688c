import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { findingFlags, output, repeated, textFlag, timeout } from '../cli/flags.ts';
import { clusterOptions, kubeFlags, readingFlags, sameClusterFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { reportDocument } from '../render/data-formats/document.ts';
import { lint, lintExitCode } from '../workflows/lint.ts';
import { checkIds } from '../workflows/selection/check-ids.ts';

export default class Lint extends Command {
  static override description =
    `Reads manifests: rendered charts, the output of kustomize, a directory of YAML and JSON. Reports objects that the
API server would refuse, with its validation errors. Also reports the findings of doctor that need no cluster: scope,
selectors, Services and ports, caBundle, timeouts, failurePolicy, readiness and shutdown of the backend. Each finding
has its file and line.

An object that the manifests do not contain may exist in the cluster: its absence is not reported. With --against or
--from-snapshot, the manifests are checked as if they were applied to that cluster. The report then shows what its API
server would refuse, which of its webhooks would block them, and which of its objects they conflict with. The cluster
is only read.

Exit codes: 0 nothing found; 1 found something at or above --fail-on; 2 wrong usage, or a file that cannot be read; 3
nothing found, but something of the cluster could not be read.`;
  static override examples = [
    'kubectl webhook lint -f manifests/',
    '$ helm template my-chart | kubectl webhook lint -f -',
    '$ kubectl kustomize . | kubectl webhook lint -f - --fail-on warning',
    'kubectl webhook lint -f webhook.yaml -o sarif',
    'kubectl webhook lint -f manifests/ --against',
  ];
  static override flags = {
    filename: repeated({
      char: 'f',
      helpValue: 'FILE',
      required: true,
      description: 'a file, a directory, or - for standard input',
    }),
    against: Flags.boolean({ description: 'check them as if they were applied to the cluster' }),
    'from-snapshot': readingFlags['from-snapshot'],
    output: output(
      ['json', 'yaml', 'junit', 'sarif'],
      'json and yaml: one document; junit: for CI; sarif: for code scanning',
    ),
    'kubernetes-version': textFlag('VERSION', 'version of the API server that will store them: 1.35'),
    ...findingFlags('warning'),
    timeout,
    ...kubeFlags,
    namespace: textFlag(
      'NAME',
      'namespace of objects that name none (default: of the context with --against, else default)',
      { char: 'n' },
    ),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Lint);
    const version = flags['kubernetes-version'];
    if (version !== undefined && !/^v?1\.\d+(?:\.\d+.*)?$/.test(version))
      this.error(`--kubernetes-version ${version} is not a version; write it as 1.35`, { exit: 2 });
    const isThere = flags.against || flags['from-snapshot'] !== undefined;
    const other = sameClusterFlags(flags);
    if (!isThere && other !== '') this.error(`--against is required for${other}`, { exit: 2 });
    const [check, skip] = await Promise.all([checkIds(flags.check ?? []), checkIds(flags.skip ?? [])]);
    const run = startRun();
    const linted = lint({
      paths: flags.filename ?? [],
      namespace: flags.namespace,
      options: clusterOptions(flags, flags.timeout, run.interrupted),
      against: isThere,
      version: version && `v${version.replace(/^v/, '')}`,
      check,
      skip,
      severity: flags.severity,
      now: new Date(),
    });
    const report = await run.result(linted);
    process.exitCode = run.exitCode(lintExitCode(report, flags['fail-on']));
    await printDocument(reportDocument(report), flags.output, {
      text: async (look) => (await import('../render/lint/render-lint.ts')).renderLint(report, look),
      junit: async () => (await import('../render/junit/lint-cases.ts')).renderLintJunit(report),
      sarif: async () => (await import('../render/data-formats/sarif.ts')).renderSarif(report),
    });
  }
}
