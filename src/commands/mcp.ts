import { Command } from '@oclif/core';
import { clusterOptions, readingFlags, sameClusterFlags } from '../cli/kube-flags.ts';
import { programVersion } from '../cli/program.ts';

export default class Mcp extends Command {
  static override description =
    `Serves doctor, explain, list, trace, cert-check, what-if and checks as read-only tools of the Model Context Protocol, over
standard input and output. An agent starts it; it exits when its input ends. There is no tool that changes a cluster:
a remedy is a command for a person. Results have the fields of -o json, the worst first and at most 20 of each;
a webhook that the agent names is reported in full (docs/agents.md).

Exit codes: 0 the input ended; 2 wrong usage.`;
  static override examples = [
    'kubectl webhook mcp',
    'kubectl webhook mcp --context prod --as oncall-bot',
    'kubectl webhook mcp --from-snapshot webhooks.json.gz',
  ];
  static override flags = readingFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    const { serveMcp } = await import('../workflows/mcp/server.ts');
    await serveMcp({
      options: clusterOptions(flags, flags.timeout),
      version: programVersion,
      sameCluster: (context) => sameClusterFlags(flags, context),
    });
  }
}
