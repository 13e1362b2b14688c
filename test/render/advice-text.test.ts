import { expect } from 'chai';
import {
  adviceText,
  applicableAdvice,
  commandsOf,
  type Names,
  sharedAdvice,
} from '../../src/phrases/advice.ts';
import {
  adviceLines,
  adviceSteps,
  leastSteps,
  shownSteps,
  stepChoices,
  stepLines,
} from '../../src/render/terminal/advice-text.ts';
import { wrap } from '../../src/render/terminal/style.ts';
import { advising } from '../support/report.ts';

const logs = 'Read its log: `kubectl -n {namespace} logs {pod}`.';

describe('advice', () => {
  it('contains known names, and placeholders for the rest', () => {
    expect(adviceText(advising(logs, { namespace: 'shop' }))).to.equal(
      'Read its log: `kubectl -n shop logs POD`.',
    );
  });

  it('shows whether a command is complete', () => {
    const commands = (names: Names) => commandsOf(advising(logs, names));
    expect(commands({ namespace: 'shop' })).to.deep.equal([
      { text: 'kubectl -n shop logs POD', runnable: false, placeholders: ['POD'] },
    ]);
    expect(commands({ namespace: 'shop', pod: 'a' })).to.deep.equal([
      { text: 'kubectl -n shop logs a', runnable: true, placeholders: [] },
    ]);
  });

  it('edits no Pod: the API server refuses it', () => {
    const edit = '`kubectl -n {namespace} edit {probed}`';
    const text = `[template] Raise the limit: ${edit}. [template] Otherwise correct the port: ${edit}. [end] Wait.`;
    const of = (probed: string) =>
      adviceText(applicableAdvice(advising(text, { namespace: 'shop', probed })));
    expect(of('deployment/a')).to.equal(
      'Raise the limit: `kubectl -n shop edit deployment/a`. Otherwise correct the port: `kubectl -n shop edit deployment/a`. Wait.',
    );
    expect(of('pod/a')).to.equal(
      'Raise the limit. Most fields of a Pod are immutable: change its manifest, and create the Pod again. Otherwise correct the port. Wait.',
    );
  });

  it('has no command about a workload that kubectl cannot restart', () => {
    const text = 'Create the Pods again: `kubectl -n {namespace} rollout restart {affected}`. [look] Wait.';
    const of = (names: Names) =>
      adviceText(applicableAdvice(advising(text, { namespace: 'shop', ...names })));
    expect(of({ affected: undefined })).to.equal('Create the Pods again. Wait.');
    expect(of({ affected: 'deployment/a' })).to.equal(
      'Create the Pods again: `kubectl -n shop rollout restart deployment/a`. Wait.',
    );
    expect(of({})).to.equal(
      'Create the Pods again: `kubectl -n shop rollout restart deployment/NAME`. Wait.',
    );
  });

  it('has the command only for those of several findings that know the workload', () => {
    const text = 'Restart it: `kubectl -n shop rollout restart {affected}`.';
    const advices = ['deployment/a', undefined, 'deployment/b'].map((affected) =>
      applicableAdvice(advising(text, { affected })),
    );
    const [first, ...others] = advices;
    expect(first && adviceText(sharedAdvice([first, ...others]))).to.equal(
      'Restart it: `kubectl -n shop rollout restart deployment/a` `kubectl -n shop rollout restart deployment/b`.',
    );
  });

  it('has steps, of which the first can be printed alone', () => {
    const advice = advising(
      '[end] Scale it up. [look] Read its log: `kubectl -n {namespace} logs {pod}`. [end] Otherwise wait.',
      {
        namespace: 'shop',
        pod: 'a',
      },
    );
    const steps = adviceSteps(advice);
    expect(steps.map(({ sentence, commands }) => [sentence, ...commands])).to.deep.equal([
      ['Scale it up.'],
      ['Read its log:', '  kubectl -n shop logs a'],
      ['Otherwise wait.'],
    ]);
    expect(stepLines(steps)).to.equal(adviceLines(advice));
    expect(stepLines(steps.slice(0, 1))).to.equal('Scale it up.');
  });

  const choices = (text: string) => {
    const steps = adviceSteps(advising(text));
    return stepChoices(steps).map((shown) =>
      shown.flatMap(({ sentence, commands }) => [sentence, ...commands]),
    );
  };

  it('is cut before what only reads, and the step that ends the failure stays', () => {
    expect(
      choices(
        '[look] Read it: `kubectl get x`. [see] Its log: `kubectl logs y`. [end] Correct it: `kubectl edit x`.',
      ),
    ).to.deep.equal([
      ['Read it:', '  kubectl get x', 'Its log:', '  kubectl logs y', 'Correct it:', '  kubectl edit x'],
      ['Read it.', 'Correct it:', '  kubectl edit x'],
      ['Read it:', '  kubectl get x', 'Its log:', '  kubectl logs y'],
      ['Read it:', '  kubectl get x'],
    ]);
    expect(
      choices('[end] Correct it: `kubectl edit x`. [see] The events: `kubectl describe x`.'),
    ).to.deep.equal([
      ['Correct it:', '  kubectl edit x', 'The events:', '  kubectl describe x'],
      ['Correct it:', '  kubectl edit x'],
    ]);
    const steps = adviceSteps(
      advising('[look] Read it: `kubectl get x`. [end] Then wait. [end] If it stays, correct it.'),
    );
    expect(shownSteps(leastSteps(steps), steps)).to.equal(
      'Read it. Then wait.\n(--details shows more steps)',
    );
    expect(shownSteps(steps, steps)).to.equal(stepLines(steps));
  });

  it('keeps the command if every step only reads', () => {
    expect(
      choices('[look] Read it: `kubectl get x`. [look] Compare y: `kubectl -n a describe y`.'),
    ).to.deep.equal([
      ['Read it:', '  kubectl get x', 'Compare y:', '  kubectl -n a describe y'],
      ['Read it:', '  kubectl get x'],
    ]);
    expect(choices('')).to.deep.equal([[]]);
  });

  it('is not cut before the condition of a change', () => {
    const counts = (text: string) => stepChoices(adviceSteps(advising(text))).map(({ length }) => length);
    expect(
      counts(
        '[end] Delete it: `kubectl delete x y`. [with] If it is needed, wait. [look] Look: `kubectl get z`.',
      ),
    ).to.deep.equal([3, 2, 3]);
    expect(
      counts(
        '[end] Delete it: `kubectl -n a patch x y`. [with] Look at it. [with] Unless it ends: `kubectl edit z`.',
      ),
    ).to.deep.equal([3]);
    expect(
      counts('[end] Permit it: `kubectl create role x --verb=get,patch`. [end] If it exists, wait.'),
    ).to.deep.equal([2, 1]);
  });

  it('quotes a name for the shell, and keeps other braces', () => {
    const [patch] = commandsOf(
      advising(`\`kubectl patch service {service} -p '{"spec":{}}'\`.`, { service: '$(x)' }),
    );
    expect(patch?.text).to.equal(`kubectl patch service '$(x)' -p '{"spec":{}}'`);
  });

  it('does not break a command inside a quoted name, also if the name contains a quote', () => {
    const name = 'it\'s a long text with --flag x and "more words" at its end, it is';
    const lines = wrap(
      adviceLines(
        advising('Explain it: `kubectl -n {namespace} logs {pod} -c {container}`.', {
          namespace: 'shop',
          pod: name,
          container: 'a',
        }),
      ),
      40,
    );
    const [command] = commandsOf(
      advising('`kubectl -n {namespace} logs {pod}`', { namespace: 'shop', pod: name }),
    );
    expect(lines.join('\n')).to.include(command?.text.replace('kubectl -n shop logs ', ''));
  });

  const sharedText = (text: string, pods: readonly (string | undefined)[]) => {
    const [first, ...others] = pods.map((pod) => advising(text, { namespace: 'shop', pod }));
    return first && sharedAdvice([first, ...others]);
  };
  const shared = (...pods: readonly (string | undefined)[]) => sharedText(logs, pods);

  it('repeats a command for each of a few findings', () => {
    const advice = shared('a', 'b', 'a');
    expect(advice && adviceText(advice)).to.equal(
      'Read its log: `kubectl -n shop logs a` `kubectl -n shop logs b`.',
    );
    expect(advice && adviceLines(advice)).to.equal(
      'Read its log:\n  kubectl -n shop logs a\n  kubectl -n shop logs b',
    );
  });

  it('repeats it for three of many findings, and counts the others', () => {
    const advice = shared('a', 'b', 'c', 'd', 'e');
    expect(advice && adviceLines(advice)).to.equal(
      'Read its log:\n  kubectl -n shop logs a\n  kubectl -n shop logs b\n  kubectl -n shop logs c\nand 2 more',
    );
  });

  it('repeats a command inside a sentence there', () => {
    const advice = sharedText('Read its log (`kubectl logs {pod}`), then wait.', ['a', 'b', 'c', 'd']);
    expect(advice && adviceLines(advice)).to.equal(
      'Read its log (`kubectl logs a`, `kubectl logs b`, `kubectl logs c` and 1 more), then wait.',
    );
  });

  it('separates alternatives by "or", in the sentence', () => {
    const advice = sharedText('[choose] Delete only the one that is old (`kubectl delete pod {pod}`).', [
      'a',
      'b',
    ]);
    expect(advice && adviceLines(advice)).to.equal(
      'Delete only the one that is old (`kubectl delete pod a` or `kubectl delete pod b`).',
    );
  });

  it('starts the next sentence on a line of its own', () => {
    const advice = sharedText(`${logs} [end] Then wait.`, ['a', 'b', 'c', 'd']);
    expect(advice && adviceLines(advice)).to.match(/ logs c\nand 1 more\nThen wait\.$/);
    expect(advice && stepLines(adviceSteps(advice))).to.equal(advice && adviceLines(advice));
  });

  it('repeats a command for the findings to which its sentence applies', () => {
    const remove = 'Delete it: `kubectl delete crd {leftover}`.';
    const advice = sharedAdvice([
      advising(remove, { leftover: 'a' }),
      advising(remove, { leftover: undefined }),
      advising(remove, { leftover: 'b' }),
    ]);
    expect(adviceText(advice)).to.equal('Delete it: `kubectl delete crd a` `kubectl delete crd b`.');
  });

  it('keeps the placeholder if a name is not known', () => {
    const advice = shared('a', undefined);
    expect(advice && adviceText(advice)).to.equal('Read its log: `kubectl -n shop logs POD`.');
  });
});

describe('advice on a terminal', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['gives a command at the end its own line', 'Look: `kubectl get pods`', 'Look:\n  kubectl get pods'],
    ['drops the full stop after it', 'Look: `kubectl get pods`.', 'Look:\n  kubectl get pods'],
    ['goes on below it', '[look] Look: `kubectl get x`. [end] Wait.', 'Look:\n  kubectl get x\nWait.'],
    ['leaves one inside a sentence', 'Compare `kubectl get x` with y.', 'Compare `kubectl get x` with y.'],
    ['leaves other quotes', 'Set: `spec.x`.', 'Set: `spec.x`.'],
    ['takes a command alone', '`kubectl get x`', '  kubectl get x'],
    ['takes two', '[look] A: `kubectl a`. [look] B: `kubectl b`', 'A:\n  kubectl a\nB:\n  kubectl b'],
  ];
  for (const [name, advice, shown] of cases)
    it(name, () => expect(adviceLines(advising(advice))).to.equal(shown));
});
