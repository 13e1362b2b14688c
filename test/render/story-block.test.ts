import { expect } from 'chai';
import type { CalloutReport, FindingReport, RemedyReport } from '../../src/diagnose/report.ts';
import { renderTerminal } from '../../src/render/terminal/render-terminal.ts';
import { advising, calloutReport, findingReport, objectOf, reportOf, running } from '../support/report.ts';

const look = { width: 80, colour: false, unicode: true, wide: false, all: false };

const failing = (over: Parameters<typeof calloutReport>[0] = {}): CalloutReport =>
  calloutReport({
    ...over,
    verdict: { state: 'failing', link: 'backend', because: ['cause'], effect: 'blocks', ...over.verdict },
  });
const remedy = (text: string, over: Partial<RemedyReport> = {}): RemedyReport => ({
  id: text,
  title: 'Title',
  command: running(text),
  ...over,
});
const cause = (callout: CalloutReport, advice: string, over: Partial<FindingReport> = {}): FindingReport =>
  findingReport(callout, { check: 'cause', message: 'It fails.', advice: advising(advice), ...over });

/** The screen about webhooks with one cause; `others` are findings of the first one. */
const screen = (
  callouts: readonly CalloutReport[],
  finding: (callout: CalloutReport) => FindingReport,
  others: readonly FindingReport[] = [],
): string => renderTerminal(reportOf(callouts, [...callouts.map(finding), ...others]), look);

describe('the first screen of one failure', () => {
  const many = Array.from({ length: 9 }, (_, at) => failing({ webhook: `policy-${at}.example.com` }));
  const long = Array.from(
    { length: 14 },
    (_, at) => `[look] Read file ${at}: \`kubectl get pods -n ns-${at}\`.`,
  );

  it('has the steps up to the first command', () => {
    const text = screen(many, (one) =>
      cause(
        one,
        `[end] Fix the error that the log reports. [end] Then edit it: \`kubectl edit x\`. ${long.join(' ')}`,
      ),
    );
    expect(text).to.match(/Manual fix {2}Fix the error .*edit it:\n +kubectl edit x\n/);
    expect(text).to.include('(--details shows more steps)');
  });

  it('ends with the change that keeps an outage from other Pods, unless it is the fix', () => {
    const blocking = failing();
    const wide = (over: Partial<RemedyReport> = {}) =>
      findingReport(blocking, {
        check: 'covers-system-namespaces',
        severity: 'warning',
        link: 'scope',
        remedies: [remedy('kubectl webhook fix covers-system-namespaces --remedy exclude', over)],
      });
    const textWith = (over?: Partial<RemedyReport>) =>
      screen([blocking], (one) => cause(one, '[end] Fix it.'), [wide(over)]);
    expect(textWith()).to.match(/Prevent +kubectl webhook fix covers-system-namespaces --remedy/);
    expect(textWith({ firstAid: true })).to.not.include('Prevent');
    expect(textWith({ unsure: true })).to.not.include('Prevent');
  });

  it('has the condition of a command that deletes, and is not cut to save one line', () => {
    const advice =
      '[end] Delete it: `kubectl delete y z`. [with] If the upgrade has not ended, wait until it has.';
    const text = screen(many, (one) => cause(one, `${advice} ${long.join(' ')}`));
    expect(text).to.include('If the upgrade has not ended');
    const short = screen(many, (one) =>
      cause(one, `[look] Read it: \`kubectl get y\`. [end] Then wait. ${'[end] Long. '.repeat(9)}`),
    );
    expect(short).to.include('Then wait.').and.not.include('shows more steps');
  });

  it('has the line of a log that is the evidence once, also without room for the others', () => {
    const proof = 'E1130 secrets "x" is forbidden: cannot list';
    const log = { container: 'c', lines: [proof, 'I1130 shutting down the manager'] };
    const replicas = [{ pod: 'p', ready: false, state: 'not-ready', log }];
    const one = failing({ replicas, verdict: { link: 'replica' } });
    const steps = (count: number): string =>
      long.slice(0, count).join(' ').replaceAll('Read', 'Read the log in');
    for (const [webhooks, count] of [
      [0, 1],
      [0, 6],
      [2, 4],
      [8, 8],
    ] as const) {
      const text = screen([one, ...many.slice(0, webhooks)], (of) =>
        cause(of, steps(count), {
          evidence: [{ object: objectOf('Pod shop/p'), field: 'log of container c', value: proof }],
        }),
      );
      expect(text.split('secrets "x" is forbidden'), text).to.have.length(2);
    }
  });

  it('has no moment in the future', () => {
    const blocked = [{ object: 'Job shop/certgen', missing: 1, since: '2999-01-01T00:00:00Z' }];
    const impact = { stops: [], namespaces: { covered: 1, total: 1 }, blocked };
    expect(screen([failing({ impact })], (of) => cause(of, 'Wait.'))).to.match(/cannot be created\n/);
  });

  it('has the refused Pods directly below the cause, and a mitigation once if there is no room', () => {
    const blocked = [{ object: 'Job shop/certgen', missing: 1 }];
    const impact = { stops: [], namespaces: { covered: 1, total: 1 }, blocked };
    const open = { firstAid: true, command: running('kubectl webhook failopen policy --for 30m') } as const;
    const one = (advice: string) =>
      screen([failing({ impact })], (of) => cause(of, advice, { remedies: [remedy('open', open)] }));
    expect(one('Wait.')).to.match(
      /It fails\. +\w+\n {2}So far {2}1 Pod of Job shop\/certgen cannot be created\n/,
    );
    const times = (text: string) => text.split('failopen policy').length - 1;
    expect([
      times(one('Wait.')),
      times(one(`Wait ${'word '.repeat(300)}: \`kubectl get x\`.`)),
    ]).to.deep.equal([2, 1]);
  });

  it('has the step that keeps the cause from returning below a fix that only restarts or scales', () => {
    const fixedBy = (over: Partial<RemedyReport>) =>
      screen([failing()], (one) =>
        cause(one, '[end] Restart it: `kubectl delete pod x`. [prevent] Let it reload its files.', {
          remedies: [remedy('restart', over)],
        }),
      );
    expect(fixedBy({ canRecur: true })).to.match(
      /Fix +restart\n.*\n {2}Prevent {2}Let it reload its files\.\n/,
    );
    expect(fixedBy({})).to.not.contain('Prevent');
  });

  it('has the manual steps below a fix that leaves the cause', () => {
    const fixedBy = (over: Partial<RemedyReport>) =>
      screen([failing()], (one) =>
        cause(one, '[end] Raise the memory limit of the injector.', { remedies: [remedy('inject', over)] }),
      );
    expect(fixedBy({ leavesCause: true })).to.match(
      /Fix +inject\n.*\n {2}Manual fix {2}Raise the memory limit of the injector\.\n/,
    );
    expect(fixedBy({})).to.not.contain('Manual fix');
  });

  it('has the evidence about each backend that shares the cause', () => {
    const backends = ['a', 'b'].map((name) =>
      failing({ backend: { service: { namespace: name, name, port: 443 } }, webhook: `${name}.example.com` }),
    );
    const text = screen(backends, (one) =>
      cause(one, 'Wait.', {
        message: `Port of ${one.webhook} is closed`,
        sharedMessage: 'Their ports are closed',
        evidence: [{ object: objectOf(`Pod ${one.webhook}`), value: `${one.webhook} does not respond` }],
      }),
    );
    expect(text).to.contain('Their ports are closed').and.not.contain('Port of');
    for (const { webhook } of backends) expect(text).to.contain(`${webhook} does not respond`);
  });

  it('has the sentence of a next command whose step is hidden', () => {
    const creates = (count: number) =>
      Array.from({ length: count }, (_, at) => `[end] Create it: \`kubectl create ns n-${at}\`.`).join(' ');
    const text = (count: number) =>
      screen([failing()], (one) => cause(one, `${creates(count)} [look] Read the rest: \`kubectl get z\`.`));
    expect(text(1)).to.match(/Next {2}kubectl get z\n$/);
    expect(text(12)).to.match(/Next {2}kubectl get z\n {6}\(Read the rest\)\n$/);
  });

  it('has long words of evidence below their field, which a narrow column would break', () => {
    const object = objectOf('Service shop/policy');
    const of = (value: string) =>
      screen([failing()], (one) => cause(one, 'Wait.', { evidence: [{ object, field: 'spec.a', value }] }));
    const url = `https://${'a'.repeat(50)}`;
    expect(of(`see ${url}`)).to.include(`    Service shop/policy spec.a\n      see ${url}\n`);
    expect(of('see word'.repeat(12))).to.include('    Service shop/policy spec.a  see word');
  });

  it('fills free lines with the next step', () => {
    const text = screen([failing()], (one) => cause(one, long.join(' ')));
    expect(text.trimEnd().split('\n').length).to.be.within(24, 25);
    expect(text).to.include('kubectl get pods -n ns-1\n').and.include('shows more steps');
  });

  it('has each error beside the cause once, with its webhooks, and at most two', () => {
    const beside = (at: number, check: string) =>
      findingReport(many[at] ?? failing(), { check, link: 'scope' });
    const others = [0, 1, 2].map((at) => beside(at, 'deadlock'));
    const text = screen(many.slice(0, 3), (one) => cause(one, 'Wait.'), others);
    expect(text.match(/Title of deadlock/g)).to.have.length(1);
    expect(text).to.match(/Also fix {4}Title of deadlock \(policy-0\.example\.com and 2 more\): Advice/);
    const four = ['a', 'b', 'c', 'd'].map((check) => beside(0, check));
    const cut = screen(many.slice(0, 1), (one) => cause(one, 'Wait.'), four);
    expect(cut).to.match(/Title of a: .*\n.*Title of b: .*\n +and 2 more \(--details shows them\)/);
  });

  it('counts the other findings without the errors that have a line', () => {
    const others = (['error', 'warning'] as const).map((severity) =>
      findingReport(failing(), { check: severity, severity }),
    );
    expect(screen([failing()], (one) => cause(one, 'Wait.'), others)).to.include(
      'Other findings: 1 warning (--details lists it)',
    );
  });

  it('says that Pods cannot be recreated, unless the cause or an error with a command does', () => {
    const impact = {
      stops: [],
      namespaces: { covered: 1, total: 1 },
      comesBack: 'no',
    } as const;
    const callout = failing({ impact });
    const deadlock = (...remedies: readonly RemedyReport[]) =>
      findingReport(callout, { check: 'deadlock', noWayBack: true, remedies });
    const text = (over: Partial<FindingReport>, others: readonly FindingReport[] = []) =>
      screen([callout], (one) => cause(one, 'Wait.', over), others);
    expect(text({})).to.include('deadlock: while');
    expect(text({ noWayBack: true })).to.not.include('deadlock: while');
    expect(text({}, [deadlock()])).to.include('deadlock: while');
    expect(text({}, [deadlock(remedy('kubectl webhook fix x'))])).to.not.include('deadlock: while');
  });

  it('has no evidence that is a line of the log above it', () => {
    const line = 'secrets "x" is forbidden';
    const text = (link: 'replica' | 'network', ...later: readonly string[]) =>
      screen(
        [
          failing({
            verdict: { link },
            replicas: [
              {
                pod: 'p',
                ready: false,
                state: 'not-ready',
                log: { container: 'c', lines: [line, ...later] },
              },
            ],
          }),
        ],
        (one) =>
          cause(one, 'Wait.', {
            evidence: [{ object: objectOf('Pod shop/p'), field: 'log of container c', value: line }],
          }),
      );
    expect(text('replica').split(line)).to.have.length(2);
    expect(text('replica', 'I1130 shutting down the manager').split(line)).to.have.length(2);
    // Logs are not printed for a failure of the network.
    expect(text('network')).to.match(/log of container c\s+secrets/);
  });

  it('does not repeat that an object does not exist', () => {
    const evidence = [{ object: objectOf('Service shop/policy'), value: 'not found' }];
    const text = (service: string) =>
      screen([failing()], (one) =>
        cause(one, 'Wait.', {
          message: `Service ${service} does not exist.`,
          values: [{ text: service, isQuote: false }],
          evidence,
        }),
      );
    expect(text('shop/policy')).to.not.include('not found');
    expect(text('shop/other')).to.match(/Service shop\/policy +not found/);
  });

  it('ends with a command that can be pasted, for how long it lasts, and what follows it', () => {
    const names = 'a-configuration-with-a-long-name another-configuration-with-a-long-name';
    const remedies = [remedy(`kubectl webhook failopen ${names} --for 30m`, { firstAid: true, minutes: 30 })];
    const text = screen([failing()], (one) => cause(one, 'Wait.', { remedies }));
    const note =
      '(admits requests unchecked for 30 min, while the command runs; do the manual fix in that time)';
    expect(text.replace(/(?: \\)?\n +/g, ' ')).to.include(
      `Next  kubectl webhook failopen ${names} --for 30m ${note}\n`,
    );
  });

  it('says why no Pod was probed, if the Pods are known', () => {
    const of = (callout: CalloutReport) => screen([callout], (one) => cause(one, 'Wait.'));
    expect(of(failing())).to.include('0 Pods probed (there is none)');
    const pod = { pod: 'p', ready: false, state: 'pending' };
    expect(of(failing({ replicas: [pod] }))).to.include('0 Pods probed (none has an endpoint)');
    const running = { ...pod, endpoint: '198.51.100.7:8443' };
    expect(of(failing({ replicas: [running] }))).to.match(/0 Pods probed$/m);
    expect(of(failing({ backend: { url: 'https://policy.example.com' } }))).to.match(/0 Pods probed$/m);
  });

  it('has the timeout on the line of the backend, without the path if that is too long', () => {
    const of = (length: number) => {
      const service = {
        namespace: 'shop',
        name: `policy-${'x'.repeat(length)}`,
        port: 443,
        path: '/validate',
      };
      return screen([failing({ backend: { service } })], (one) => cause(one, 'Wait.'));
    };
    expect(of(30)).to.match(/x:443\/validate · Fail · timeout 10 s$/m);
    expect(of(38)).to.match(/x:443 · Fail · timeout 10 s$/m);
  });
});

describe('one of several failures', () => {
  it('has a command for its details if only a mitigation is known', () => {
    const callouts = ['a', 'b', 'c', 'd'].map((name) => failing({ webhook: name, configuration: name }));
    const remedies = [remedy('kubectl webhook failopen a --for 30m', { firstAid: true })];
    const text = renderTerminal(
      reportOf(
        callouts,
        callouts.map((one) =>
          cause(one, `Wait. ${'Look at it. '.repeat(200)}`, { remedies, message: one.webhook }),
        ),
      ),
      look,
    );
    expect(text.match(/Details {3}kubectl webhook doctor /g)).to.have.length(3);
  });
});
