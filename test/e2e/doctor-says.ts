import { expect } from 'chai';
import type { CalloutReport, DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { tryConfigMap } from '../cluster/backend-pods.ts';
import type { Scene } from '../cluster/scene.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';

export interface DoctorSays {
  readonly report: DoctorReport;
  readonly callout: CalloutReport;
  readonly findings: readonly FindingReport[];
}

/** Runs the real binary for one webhook, and returns its part of the report. */
export async function doctorSays(
  kubeconfig: string,
  callout: string,
  ...flags: readonly string[]
): Promise<DoctorSays> {
  const probe = flags.includes('--probe') ? [] : ['--probe', 'none'];
  const args = ['doctor', callout, '--kubeconfig', kubeconfig, ...probe, '-o', 'json', ...flags];
  const { stdout, stderr } = await plugin(args);
  if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
  const report = JSON.parse(stdout) as DoctorReport;
  const [found] = report.callouts;
  if (found === undefined) throw new Error(`doctor knows no callout ${callout}`);
  return { report, callout: found, findings: report.findings };
}

export interface Broken {
  readonly because: string;
  readonly link: string;
  readonly state?: 'failing' | 'degraded';
}

/**
 * Doctor names this cause and link first, and predicts the exact error with which the API server refuses a
 * dry run of a ConfigMap. Waits for the API server's informers, never for doctor.
 */
export async function expectBroken(
  scene: Scene,
  kubeconfig: string,
  callout: string,
  expected: Broken,
): Promise<void> {
  const { callout: said } = await doctorSays(kubeconfig, callout);
  const { state, link, because, error } = said.verdict;
  expect({ state, link, because: because[0] }, JSON.stringify(said.verdict)).to.deep.equal({
    state: expected.state ?? 'failing',
    link: expected.link,
    because: expected.because,
  });
  expect(error, 'the predicted sentence').to.be.a('string');
  const sentence = `Internal error occurred: ${error}`;
  let last = '';
  await waitFor(
    `the API server to say: ${sentence}`,
    async () => {
      last = await tryConfigMap(scene);
      return last === sentence;
    },
    { timeout: 20_000, interval: 300 },
  ).catch(() => expect(last).to.equal(sentence));
}
