import { expect } from 'chai';
import { withNextCommands } from '../../src/diagnose/next-commands.ts';
import type { CalloutState, FindingReport } from '../../src/diagnose/report.ts';
import { advising, calloutReport, findingReport, reportOf, running } from '../support/report.ts';

const callout = calloutReport({
  verdict: { state: 'failing', link: 'routing', because: ['cause'], effect: 'blocks' },
});
const remedy = (id: string, firstAid = false) => ({
  id,
  title: id,
  command: running(`kubectl webhook fix x --remedy ${id}`),
  ...(firstAid ? { firstAid: true as const } : {}),
});
const next = (findings: readonly FindingReport[]): readonly (readonly [string, readonly string[]])[] =>
  reportOf([callout], findings).findings.map(({ check, next: commands = [] }) => [
    check,
    commands.map(({ when, id }) => `${when} ${id}`),
  ]);

describe('the next commands', () => {
  it('mitigate first, then fix', () => {
    const remedies = [remedy('best'), remedy('other'), remedy('open', true)];
    expect(next([findingReport(callout, { check: 'cause', remedies })])).to.deep.equal([
      ['cause', ['now open', 'fix best']],
    ]);
  });

  it('fix a consequence if nothing fixes the cause', () => {
    const cause = findingReport(callout, { check: 'cause', remedies: [remedy('open', true)] });
    const orphan = { check: 'orphan', severity: 'warning', causedBy: 'cause' } as const;
    const follows = findingReport(callout, { ...orphan, remedies: [remedy('delete')] });
    expect(next([cause, follows])).to.deep.equal([
      ['cause', ['now open', 'fix delete']],
      ['orphan', []],
    ]);
  });

  it('fix the first consequence only: a caBundle does not help while nothing listens', () => {
    const cause = findingReport(callout, { check: 'cause', link: 'tls' });
    const following = (link: 'replica' | 'tls') =>
      findingReport(callout, { check: link, link, severity: 'error', causedBy: 'cause' } as const);
    const closed = following('replica');
    const empty = { ...following('tls'), remedies: [remedy('inject')] };
    expect(next([cause, empty])[0]).to.deep.equal(['cause', ['fix inject']]);
    expect(next([cause, empty, closed])[0]).to.deep.equal(['cause', []]);
  });

  it('are not for a risk beside the failure: a second Pod fixes none', () => {
    const cause = findingReport(callout, { check: 'cause', remedies: [remedy('open', true)] });
    const risk = { check: 'risk', severity: 'warning', link: 'failure-policy', causedBy: 'cause' } as const;
    const follows = findingReport(callout, { ...risk, remedies: [remedy('scale-up')] });
    expect(next([cause, follows])).to.deep.equal([
      ['cause', ['now open']],
      ['risk', []],
    ]);
  });

  const opening = (name: string, flag = '') => ({
    ...remedy('open', true),
    opens: [name],
    minutes: 30,
    command: running(`kubectl webhook failopen ${name} --for 30m${flag}`),
    ...(flag === '' ? {} : { flag: flag.trim(), because: 'it is a guard' }),
  });
  const failingWebhook = (webhook: string) => ({ ...callout, configuration: webhook, webhook });

  it('open all webhooks of one cause, or of one outage, in one command', () => {
    const callouts = ['a', 'b'].map(failingWebhook);
    const report = (messages: readonly string[], flags: readonly string[] = []) => {
      const findings = callouts.map((one, at) =>
        findingReport(one, {
          check: 'cause',
          message: messages[at] ?? '',
          remedies: [opening(one.webhook, flags[at])],
        }),
      );
      const outage = { kind: 'requests', what: 'create Pods', which: 'all' } as const;
      const ids = callouts.map(({ webhook }) => `validating/${webhook}/${webhook}`);
      const { next: _, ...whole } = reportOf(callouts, findings);
      return withNextCommands({ ...whole, blocked: [{ ...outage, callouts: ids }] });
    };
    const both = 'kubectl webhook failopen a b --for 30m';
    const texts = ({ stories }: ReturnType<typeof report>) =>
      stories.map(({ next: commands = [] }) => commands.map(({ command }) => command.text));
    expect(texts(report(['gone', 'gone']))).to.deep.equal([[both]]);
    const apart = report(['gone', 'ill']);
    expect(texts(apart).flat()).to.have.members([
      'kubectl webhook failopen a --for 30m',
      'kubectl webhook failopen b --for 30m',
    ]);
    expect(apart.next?.command.text).to.equal(both);
    expect(report(['gone', 'gone'], ['', ' --i-accept']).next?.command.text).to.equal(`${both} --i-accept`);
  });

  it('are for one cause also if a webhook has the name of the host that the message names', () => {
    const callouts = ['policy.shop.svc', 'policy.example.com'].map(failingWebhook);
    const message = 'The certificate is not for policy.shop.svc';
    const findings = callouts.map((one) => findingReport(one, { check: 'cause', message }));
    expect(reportOf(callouts, findings).stories).to.have.lengthOf(1);
  });

  it('are three at most, and say how many more there are', () => {
    const callouts = ['a', 'b', 'c', 'd', 'e'].map(failingWebhook);
    const findings = callouts.map((one) =>
      findingReport(one, {
        check: 'cause',
        remedies: [
          {
            ...remedy('inject'),
            command: running(`kubectl webhook fix cause:${one.webhook} --remedy inject`),
          },
        ],
      }),
    );
    const [story] = reportOf(callouts, findings).stories;
    expect(story?.next?.map(({ command, because }) => [command.text, because])).to.deep.equal([
      ['kubectl webhook fix cause:a --remedy inject', undefined],
      ['kubectl webhook fix cause:b --remedy inject', undefined],
      ['kubectl webhook fix cause:c --remedy inject', 'and 2 more: kubectl webhook fix lists them'],
    ]);
    const { next: _, ...again } = reportOf(callouts, findings);
    const [elsewhere] = withNextCommands(again, {
      isUnfiltered: true,
      sameCluster: ' --context prod',
    }).stories;
    expect(elsewhere?.next?.at(-1)?.because).to.equal(
      'and 2 more: kubectl webhook fix --context prod lists them',
    );
  });

  const openings = (names: readonly string[], worst: ReturnType<typeof remedy> = opening(names[0] ?? '')) => {
    const callouts = names.map(failingWebhook);
    const findings = callouts.map((one, at) =>
      findingReport(one, {
        check: 'cause',
        message: one.webhook,
        remedies: [
          at === 0 ? worst : { ...opening(one.webhook, ' --i-accept'), because: `of ${one.webhook}` },
        ],
      }),
    );
    const ids = callouts.map(({ webhook }) => `validating/${webhook}/${webhook}`);
    const outage = { kind: 'requests', what: 'create Pods', which: 'all', callouts: ids } as const;
    const { next: _, ...whole } = reportOf(callouts, findings);
    return withNextCommands({ ...whole, blocked: [outage] }).next;
  };

  it('replace only the arguments of failopen, whatever the configurations are called', () => {
    expect(openings(['webhook', 'b'])?.command.text).to.equal(
      'kubectl webhook failopen webhook b --for 30m --i-accept',
    );
    expect(openings(['failopen', 'b'])?.command.text).to.match(/webhook failopen failopen b --for/);
  });

  it('are those of the webhooks of the first backend if only one is to be changed', () => {
    const callouts = ['a', 'b', 'c'].map(failingWebhook);
    const commands = (role: string) => {
      const findings = callouts.map((one) =>
        findingReport(one, {
          check: 'cause',
          sharedMessage: 'gone',
          advice: advising(`[${role}] Change one of them: \`kubectl edit x\`.`, {
            namespace: 'shop',
            service: one.webhook === 'c' ? 'other' : 'policy',
          }),
          remedies: [opening(one.webhook)],
        }),
      );
      return reportOf(callouts, findings).stories.flatMap(({ next: all = [] }) =>
        all.map(({ command }) => command.text),
      );
    };
    expect(commands('choose')).to.deep.equal(['kubectl webhook failopen a b --for 30m']);
    expect(commands('end')).to.deep.equal(['kubectl webhook failopen a b c --for 30m']);
  });

  it('open no webhook that refuses no request', () => {
    const idle = calloutReport({
      verdict: { state: 'failing', link: 'routing', because: ['cause'], effect: 'none' },
    });
    const found = findingReport(idle, { check: 'cause', remedies: [opening('a'), remedy('fix')] });
    expect(reportOf([idle], [found]).stories[0]?.next?.map(({ id }) => id)).to.deep.equal(['fix']);
  });

  it('give the reason of each webhook that needs a flag', () => {
    expect(openings(['a', 'b', 'c'])?.because).to.equal('of b; of c');
  });

  it('mitigate the worst problem first, also if others of its outage have one command', () => {
    const restart = { ...remedy('open', true), command: running('kubectl webhook fix a') };
    expect(openings(['a', 'b', 'c'], restart)?.command.text).to.equal('kubectl webhook fix a');
  });

  it('mitigate what follows from the worst problem, which is listed first', () => {
    const [api, waiting] = ['v1.api', 'w'].map(failingWebhook);
    if (api === undefined || waiting === undefined) throw new Error('two webhooks');
    const findings = [
      findingReport(waiting, {
        check: 'cause',
        message: 'it waits',
        remedies: [opening('w')],
        advice: { ...advising('Wait.'), names: { blocker: 'v1.api' } },
      }),
      findingReport(api, { check: 'cause', message: 'it is down' }),
    ];
    const { stories, next: command } = reportOf([waiting, api], findings);
    expect(stories.map(({ message }) => message)).to.deep.equal(['it is down', 'it waits']);
    expect(command?.command.text).to.equal('kubectl webhook failopen w --for 30m');
  });

  describe('of webhooks that block the same requests', () => {
    /** The next command and its note, if these of the failing webhooks block the creation of Pods. */
    const nextOf = (
      names: readonly string[],
      blocked: readonly string[],
      found: (name: string, at: number) => Partial<FindingReport>,
    ) => {
      const callouts = names.map(failingWebhook);
      const findings = callouts.map((one, at) =>
        findingReport(one, { check: 'cause', message: one.webhook, ...found(one.webhook, at) }),
      );
      const { next: _, ...report } = reportOf(callouts, findings);
      const ids = blocked.map((name) => `validating/${name}/${name}`);
      const outage = { kind: 'requests', what: 'create Pods', which: 'all', callouts: ids } as const;
      const { command, because } = withNextCommands({ ...report, blocked: [outage] }).next ?? {};
      return [command?.text, because];
    };

    it('name the fix of the other deadlock', () => {
      const fixOf = (blocked: readonly string[], others: Partial<FindingReport> = {}) =>
        nextOf(['a', 'b'], blocked, (name, at) => ({
          noWayBack: true,
          remedies: [{ ...remedy('exclude'), command: running(`exclude ${name}`) }],
          ...(at === 1 ? others : {}),
        }));
      const because = 'this alone does not end the deadlock; also run: exclude b';
      expect(fixOf(['a', 'b'])).to.deep.equal(['exclude a', because]);
      expect(fixOf(['a'])).to.deep.equal(['exclude a', undefined]);
      expect(fixOf(['a', 'b'], { noWayBack: undefined as never })).to.deep.equal(['exclude a', undefined]);
      expect(fixOf(['a', 'b'], { remedies: [] })).to.deep.equal(['exclude a', undefined]);
    });

    it('name the mitigation of the others', () => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const mitigationOf = (blocked: readonly string[]) =>
        nextOf(names, blocked, (name) => ({
          remedies: [{ ...remedy('flip', true), command: running(`flip ${name}`) }],
        }));
      const alone = 'this alone does not admit the blocked requests; also run:';
      expect(mitigationOf(['a', 'b'])).to.deep.equal(['flip a', `${alone} flip b`]);
      expect(mitigationOf(['a'])).to.deep.equal(['flip a', undefined]);
      expect(mitigationOf(names)).to.deep.equal([
        'flip a',
        `${alone} flip b; flip c; flip d; and 1 more (kubectl webhook fix lists them)`,
      ]);
    });
  });

  it('fix an error about a webhook that fails open too late, whose calls block the cluster', () => {
    const open = calloutReport({
      verdict: { state: 'failing', link: 'network', because: ['cause'], effect: 'fails-open' },
    });
    const findings = [
      findingReport(open, { check: 'cause', advice: advising('Read it: `kubectl get pods`.') }),
      findingReport(open, { check: 'leases', link: 'scope', remedies: [remedy('exclude')] }),
    ];
    const { next: _, ...report } = reportOf([open], findings);
    const outage = { kind: 'system', what: 'no leader', which: 'all' } as const;
    const suggested = (blocked: readonly string[]) =>
      withNextCommands({ ...report, blocked: [{ ...outage, callouts: blocked }] }).next?.command.text;
    expect(suggested(['validating/policy/policy.example.com'])).to.equal(
      'kubectl webhook fix x --remedy exclude',
    );
    expect(suggested(['validating/other/other.example.com'])).to.equal('kubectl get pods');
  });

  it('are for causes and errors, which are printed completely', () => {
    const remedies = [remedy('best')];
    const beside = findingReport(callout, { check: 'beside', severity: 'warning', remedies });
    const error = findingReport(callout, { check: 'error', remedies });
    expect(next([beside, error])).to.deep.equal([
      ['beside', []],
      ['error', ['fix best']],
    ]);
  });

  it('name the webhook to inspect after a report of the whole cluster, and do not repeat a run that named it', () => {
    const unknown = calloutReport({ verdict: { state: 'unknown', because: [], effect: 'none' } });
    const { next: first, ...report } = reportOf([unknown], []);
    expect(first?.command.text).to.match(/^kubectl webhook doctor \S+$/);
    expect(withNextCommands(report, { isUnfiltered: false, sameCluster: '' }).next).to.equal(undefined);
  });

  const first = (...of: Parameters<typeof reportOf>): string | undefined =>
    reportOf(...of).next?.command.text;

  it('scale a failing backend up, but are no change that the advice makes depend on a condition', () => {
    const scale = 'kubectl -n shop scale deployment/policy --replicas=2';
    const advised = (text: string) =>
      first([callout], [findingReport(callout, { check: 'cause', advice: advising(text) })]);
    expect(advised(`[safe] Scale it up: \`${scale}\`.`)).to.equal(scale);
    for (const text of [
      `If the program runs there, scale it up: \`${scale}\`.`,
      'If the maintenance of a node is over, uncordon it: `kubectl uncordon worker-1`.',
      'Resume it: `kubectl -n shop rollout resume deployment/policy`.',
      `[end] Restart it: \`kubectl -n shop rollout restart deployment/policy\`. [safe] Run one: \`${scale}\`.`,
    ])
      expect(advised(text), text).to.equal(undefined);
  });

  it('wait for Pods that are starting before they open the webhook, but not instead of a fix', () => {
    const wait = 'kubectl webhook wait policy';
    const starting = (text: string, remedies: FindingReport['remedies']) =>
      first([callout], [findingReport(callout, { check: 'cause', advice: advising(text), remedies })]);
    const advice = `[safe] Wait until they are Ready: \`${wait}\`. [look] Read why: \`kubectl get pods\`.`;
    expect(starting(advice, [opening('a')])).to.equal(wait);
    expect(starting(advice, [remedy('fix')])).to.equal('kubectl webhook fix x --remedy fix');
    const open = 'kubectl webhook failopen a --for 30m';
    expect(starting(advice.replace('[safe]', '[end]'), [opening('a')])).to.equal(open);
    const other = { ...callout, configuration: 'z', webhook: 'z.example.com' };
    const besideAnother = [
      findingReport(callout, { check: 'cause', advice: advising(advice), remedies: [opening('a')] }),
      findingReport(other, { check: 'cause', message: 'Its Service does not exist.' }),
    ];
    expect(first([callout, other], besideAnother), 'another webhook is broken').to.equal(open);
    const failsOpen = { ...other, verdict: { ...other.verdict, effect: 'fails-open' as const } };
    expect(first([callout, failsOpen], besideAnother), 'another webhook fails open').to.equal(wait);
    const sibling = { ...failsOpen, configuration: callout.configuration };
    const besideSibling = [
      ...besideAnother.slice(0, 1),
      findingReport(sibling, { check: 'cause', message: 'No.' }),
    ];
    expect(first([callout, sibling], besideSibling), 'another one of the configuration').to.equal(open);
  });

  it('ask for permissions, which changes nothing, but never change something without a remedy', () => {
    const having = (command: string) =>
      findingReport(callout, { check: 'cause', advice: advising(`Do this: \`${command}\`.`) });
    expect(first([callout], [having('kubectl auth can-i --list --as=x')])).to.equal(
      'kubectl auth can-i --list --as=x',
    );
    for (const command of [
      'kubectl auth reconcile -f x',
      'kubectl get policies.example.com -A -o json | kubectl replace -f -',
      'kubectl get secret x -o yaml > x.yaml',
    ])
      expect(first([callout], [having(command)]), command).to.equal(undefined);
  });

  it('undo a change that makes a healthy webhook fail open', () => {
    const opened = { change: 'c', at: '2025-12-31T23:00:00Z', undo: running('kubectl webhook undo c').text };
    expect(first([calloutReport({ opened })])).to.equal('kubectl webhook undo c');
    expect(first([calloutReport()])).to.equal(undefined);
  });

  const firstOf = (advice: string, link: 'effect' | 'response', state: CalloutState = 'healthy') => {
    const of = calloutReport({ verdict: { state } });
    const found = findingReport(of, {
      check: 'missed',
      link,
      severity: 'warning',
      advice: advising(advice),
    });
    return withNextCommands(reportOf([of], [found])).next;
  };

  it('restart Pods that were created without something, and say why', () => {
    const advice =
      '[safe] Recreate the Pods: `kubectl -n web rollout restart deployment/web`. [end] Then check them.';
    expect(firstOf(advice, 'effect')).to.deep.include({
      command: running('kubectl -n web rollout restart deployment/web'),
      title: 'Recreate the Pods',
    });
    expect(firstOf(advice, 'response')?.command.text).to.equal('kubectl webhook checks missed');
  });

  it('restart nothing whose webhook is not known to respond, or before an earlier step', () => {
    const restart = '`kubectl -n web rollout restart deployment/web`.';
    const checks = 'kubectl webhook checks missed';
    for (const advice of [`[safe] Recreate the Pods: ${restart}`, `Restart them: ${restart}`])
      for (const state of ['failing', 'degraded', 'unknown'] as const)
        expect(firstOf(advice, 'effect', state)?.command.text ?? '', state).not.to.contain('restart');
    expect(
      firstOf(`[end] Fix the cause of the failed call. [end] To retry: ${restart}`, 'effect')?.command.text,
    ).to.equal(checks);
  });

  it('have the sentence of the step as title, without a command at its end', () => {
    expect(firstOf('Read `kubectl get nodes` first.', 'response')?.title).to.equal(
      'Read `kubectl get nodes` first',
    );
    expect(
      firstOf('[end] Wait. [end] Set `x` to None, or to y: `kubectl edit x`.', 'response')?.title,
    ).to.equal('Set `x` to None, or to y');
  });
});
