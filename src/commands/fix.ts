import { Command } from '@oclif/core';
import { openFixPrompts } from '../cli/fix-prompts.ts';
import {
  acceptFlag,
  argument,
  changeFlags,
  duration,
  durationFlag,
  probeLevel,
  reasonFlag,
  textFlag,
} from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags } from '../cli/kube-flags.ts';
import { reportChange } from '../cli/prompts.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';
import { diagnoseWith, fix } from '../workflows/fix/fix.ts';
import { allCheckIds } from '../workflows/selection/check-ids.ts';

export default class Fix extends Command {
  static override description =
    `Runs doctor and offers the remedies that fit a finding, the safest first. Explains the chosen one, shows the diff, asks,
changes the cluster, waits until doctor confirms the fix, and prints the undo command.

FINDING is a check with only one finding, CHECK:WEBHOOK, or a webhook. CHECK:CONFIGURATION with --remedy
fixes all webhooks of a configuration in one change. Without a terminal, give everything: FINDING --remedy ID
--yes. --remedy ID,ID makes one change of several remedies, undone as one.

A remedy that would do more damage is refused, with the reason. If an object is declared elsewhere, in a chart or a
repository, the change is printed as a patch for that place.

Exit codes: 0 fixed, planned with --dry-run, or nothing to fix; 1 refused, or not effective; 2 wrong usage, no cluster,
no such finding, or no terminal for the question; 130 interrupted.`;
  static override examples = [
    'kubectl webhook fix',
    'kubectl webhook fix stale-ca-bundle',
    'kubectl webhook fix my-webhooks --dry-run=server',
    'kubectl webhook fix service-port-missing --remedy fix-service-port --yes',
  ];
  static override args = {
    finding: argument('FINDING', 'a finding, a check or a webhook (default: all findings)'),
  };
  static override flags = {
    ...changeFlags,
    ...reasonFlag,
    remedy: textFlag('REMEDY', 'id of the remedy; several, with commas between, make one change'),
    for: duration({ description: 'record in the object when the change must be undone: 30m, 2h' }),
    probe: probeLevel(),
    wait: durationFlag('90s', 'how long to wait until doctor confirms the fix'),
    timeout: durationFlag('80s', 'time limit of each examination'),
    ...acceptFlag,
    ...kubeFlags,
    namespace: textFlag('NAME', 'the namespace that exclude-namespace excludes', { char: 'n' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Fix);
    const observe = requestLog(flags.v);
    const until = flags.for === undefined ? undefined : new Date(Date.now() + flags.for);
    const sameCluster = sameClusterFlags(flags);
    const nothing = 'doctor found nothing: there is nothing to fix.';
    await reportChange(
      openFixPrompts(flags.output !== undefined),
      flags.output,
      (prompts) =>
        withChangeTools(flags, sameCluster, observe, (tools) =>
          diagnoseWith(
            { flags, observe, probe: flags.probe, milliseconds: flags.timeout, sameCluster },
            async (look) =>
              fix(
                { tools, prompts },
                look,
                {
                  target: args.finding,
                  remedy: flags.remedy,
                  namespace: flags.namespace,
                  verifyFor: flags.wait,
                  sameCluster,
                  options: {
                    yes: flags.yes,
                    accepted: flags['i-accept-unchecked-admission'] ? ['--i-accept-unchecked-admission'] : [],
                    watchFor: 3000,
                    dryRun: flags['dry-run'],
                    reason: flags.reason,
                    until,
                  },
                },
                await allCheckIds(),
              ),
          ),
        ),
      nothing,
    );
  }
}
