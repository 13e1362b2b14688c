import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startApiServer } from '../../../src/demo/api-server/server.ts';
import { clusterContent } from '../../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../../src/demo/scenarios/catalogue.ts';
import { faultyProxy, type Passing } from '../../support/faulty-proxy.ts';
import { fileWith } from '../../support/plugin.ts';
import { type MeasuredRun, measuredRun } from './measured-run.ts';

/** A change whose write the API server accepts and applies long after the client has ended. */
interface UnansweredWrite {
  readonly what: string;
  /** Of the demo. */
  readonly scenario: string;
  /** Changes before it, with normal responses. */
  readonly before?: string;
  readonly change: string;
  readonly method: string;
  readonly path: RegExp;
  readonly codes: readonly number[];
  readonly says: RegExp;
  readonly seconds: number;
  /** Further requests would have followed. */
  readonly inPart?: boolean;
  /** The output of `changes` for the newest change until it is applied. */
  readonly meanwhile: { readonly state: string; readonly why: RegExp };
}

const failopen = 'failopen payments-policy --yes --watch 300ms';
const deletion = 'fix orphaned-configuration --remedy delete-orphaned-configuration --yes --wait 1s';
const unknown = {
  codes: [1],
  says: /result unknown .*the API server did not confirm whether the change was made \(no response for \S+ within --request-timeout \(2s\)\); the object is unchanged so far/,
  // Two seconds for the request, and six until the last read; plus reads and a dry run.
  seconds: 12,
};
const notCarriedOut = { state: 'refused', why: /^the API server has not carried out its request$/ };

export const unansweredWrites: readonly UnansweredWrite[] = [
  {
    what: 'PATCH: failopen',
    scenario: 'crash-loop',
    change: failopen,
    method: 'PATCH',
    path: /validatingwebhookconfigurations/,
    ...unknown,
    meanwhile: notCarriedOut,
  },
  {
    what: 'PATCH: undo',
    scenario: 'crash-loop',
    before: failopen,
    change: 'undo --yes',
    method: 'PATCH',
    path: /validatingwebhookconfigurations/,
    ...unknown,
    meanwhile: { state: 'applied', why: /did not confirm .*; run undo again to finish it$/ },
  },
  {
    what: 'POST: failopen with a CronJob',
    scenario: 'crash-loop',
    change: `${failopen} --for 1h --restore-with=cronjob --detach -n payments`,
    method: 'POST',
    path: /clusterroles\?/,
    inPart: true,
    ...unknown,
    meanwhile: { state: 'applied', why: /did not confirm whether/ },
  },
  {
    what: 'DELETE: fix',
    scenario: 'orphaned-after-uninstall',
    change: deletion,
    method: 'DELETE',
    path: /mutatingwebhookconfigurations/,
    ...unknown,
    meanwhile: { state: 'undone', why: /^only its record is left; undo removes it$/ },
  },
];

/**
 * One complete case: the run without a response, the state afterwards, and an undo when the change is
 * applied.
 */
export async function unansweredWrite(row: UnansweredWrite): Promise<MeasuredRun> {
  const { parts = [] } = scenarios.find(({ slug }) => slug === row.scenario) ?? {};
  const server = await startApiServer(clusterContent(parts, new Date()));
  let [keeps, late] = [row.before === undefined, (): void => undefined];
  const carriedOut = new Promise<void>((resolve) => {
    late = resolve;
  });
  const isKept = ({ method, path }: Passing): boolean =>
    keeps && method === row.method && row.path.test(path) && !path.includes('dryRun');
  const proxy = await faultyProxy(fileWith(server.kubeconfig()), (passing) =>
    isKept(passing) ? { before: () => carriedOut } : 'pass',
  );
  const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-state-'));
  const run = (command: string): Promise<MeasuredRun> =>
    measuredRun([...command.split(' '), '--kubeconfig', proxy.kubeconfig], { state, killAfter: 30 });
  const newest = async () => JSON.parse((await run('changes -o json')).stdout).changes[0];
  try {
    const { stdout: original } = await run('list -o wide');
    if (row.before !== undefined) await run(row.before);
    keeps = true;
    const unanswered = await run(`${row.change} --request-timeout 2s`);
    const meanwhile = await newest();
    expect(meanwhile.state, meanwhile.why).to.equal(row.meanwhile.state);
    expect(meanwhile.why).to.match(row.meanwhile.why);
    keeps = false;
    late();
    const after = await newest();
    expect(after.state).to.equal(row.change.startsWith('undo') ? 'undone' : 'applied');
    expect(after.why === undefined, after.why).to.equal(row.inPart !== true);
    expect((await run(`undo ${meanwhile.id} --yes`)).code).to.equal(0);
    const { state: end, why } = await newest();
    expect({ end, why }).to.deep.equal({ end: 'undone', why: undefined });
    expect((await run('list -o wide')).stdout).to.equal(original);
    return unanswered;
  } finally {
    await proxy.close();
    await server.stop();
  }
}
