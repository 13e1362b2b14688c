import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePorts } from './control-plane.ts';
import { waitFor } from './wait.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The alerts of the chart; `for` and windows of minutes become seconds. */
export function hurriedRules(): Rules {
  const file = join(import.meta.dirname, '../../charts/kubectl-webhook/files/rules.yaml');
  const { groups }: Rules = parse(readFileSync(file, 'utf8'));
  const hurried = (rule: Rule): Rule => ({
    ...rule,
    expr: rule.expr.replace('[10m]', '[40s]').replace('> 600', '> 30').replace('* 600', '* 30'),
    ...(rule.for === undefined ? {} : { for: '2s' }),
  });
  return { groups: groups.map((group) => ({ ...group, interval: '1s', rules: group.rules.map(hurried) })) };
}

/** A running Prometheus, which scrapes every second. */
export interface Prometheus {
  /** Scrapes each `address:port` from now on. */
  scrape(targets: readonly string[]): void;
  /** The labels of the alerts that fire. */
  firing(): Promise<readonly Readonly<Record<string, string>>[]>;
  stop(): Promise<void>;
}

/**
 * Starts Prometheus (Debian: apt-get install prometheus) in a folder, which it fills. It sends the token to its targets,
 * and does not verify their certificates.
 */
export async function startPrometheus(
  folder: string,
  token: string,
  program = 'prometheus',
): Promise<Prometheus> {
  const web = await freePorts();
  const targets = join(folder, 'targets.json');
  writeFileSync(targets, '[]');
  writeFileSync(join(folder, 'token'), token);
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify(hurriedRules()));
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s', external_labels: { cluster: 'test' } },
      rule_files: [join(folder, 'rules.yaml')],
      scrape_configs: [
        {
          job_name: 'kubectl-webhook',
          scheme: 'https',
          tls_config: { insecure_skip_verify: true },
          authorization: { credentials_file: join(folder, 'token') },
          file_sd_configs: [{ files: [targets], refresh_interval: '1s' }],
        },
      ],
    }),
  );
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${web}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const firing = async () => {
    const response = await fetch(`http://127.0.0.1:${web}/api/v1/alerts`);
    const { data } = (await response.json()) as {
      data: { alerts: readonly { state: string; labels: Readonly<Record<string, string>> }[] };
    };
    return data.alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels] : []));
  };
  const prometheus: Prometheus = {
    scrape(addresses) {
      writeFileSync(`${targets}.new`, JSON.stringify([{ targets: addresses }]));
      renameSync(`${targets}.new`, targets);
    },
    firing,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
  const responds = () =>
    firing().then(
      () => true,
      () => false,
    );
  await waitFor('Prometheus', responds, { timeout: 60_000, interval: 500 }).catch(async (error: Error) => {
    await prometheus.stop();
    throw error;
  });
  return prometheus;
}
