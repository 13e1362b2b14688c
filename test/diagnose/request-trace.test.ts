import { expect } from 'chai';
import { fromGoJson, toGoJson } from '../../src/apiserver/go/value.ts';
import { applyPatch, decodePatch } from '../../src/apiserver/patch/json-patch.ts';
import type { TraceStep } from '../../src/apiserver/trace/trace-step.ts';
import { fieldPath, withoutField, writerOf } from '../../src/diagnose/request-trace.ts';

const webhookNamed = (name: string) => ({ configuration: name, webhook: `${name}.example.com` });

type Said = readonly [name: string, patch: readonly object[] | 'not called'];

/** The steps of webhooks with these patches, one after the other. */
function stepsOf(made: object, detail: readonly Said[]): readonly TraceStep[] {
  let object = made;
  return detail.map(([name, patch], index): TraceStep => {
    const step = { phase: 'mutating', round: 0, index, callout: webhookNamed(name), matched: true, why: '' };
    if (patch === 'not called')
      return { ...step, called: false, outcome: 'not-called' } as unknown as TraceStep;
    const operations = decodePatch(toGoJson(patch));
    if ('fault' in operations) throw new Error(operations.fault);
    object = fromGoJson(applyPatch(toGoJson(object), operations)) as object;
    return { ...step, called: true, outcome: 'patched', patch, after: object } as unknown as TraceStep;
  });
}

const app = { name: 'app', image: 'app:1' };
const proxy = { name: 'proxy', image: 'proxy:1' };
const pod = { spec: { containers: [app], schedulerName: 'default-scheduler' } };

describe('the webhook that sets a field', () => {
  const rows: readonly (readonly [
    what: string,
    path: string,
    detail: readonly Said[],
    by: string | undefined,
  ])[] = [
    ['nobody', 'spec.schedulerName', [['a', [{ op: 'add', path: '/spec/x', value: 1 }]]], undefined],
    [
      'the last of two',
      'spec.schedulerName',
      [
        ['a', [{ op: 'replace', path: '/spec/schedulerName', value: 'one' }]],
        ['b', [{ op: 'replace', path: '/spec/schedulerName', value: 'two' }]],
      ],
      'b',
    ],
    [
      'the first of two, where the second replaces the parent with what it holds',
      'spec.schedulerName',
      [
        ['a', [{ op: 'replace', path: '/spec/schedulerName', value: 'one' }]],
        ['b', [{ op: 'replace', path: '/spec', value: { containers: [app], schedulerName: 'one' } }]],
      ],
      'a',
    ],
    [
      'whoever replaces a parent',
      'spec.schedulerName',
      [['a', [{ op: 'replace', path: '/spec', value: { containers: [app], schedulerName: 'one' } }]]],
      'a',
    ],
    [
      'whoever puts an item in front',
      'spec.containers[0].image',
      [['a', [{ op: 'add', path: '/spec/containers/0', value: proxy }]]],
      'a',
    ],
    [
      'nobody, of an item that another was put in front of',
      'spec.containers[1].image',
      [['a', [{ op: 'add', path: '/spec/containers/0', value: proxy }]]],
      undefined,
    ],
    [
      'whoever changed the item before another was put in front',
      'spec.containers[1].image',
      [
        ['a', [{ op: 'replace', path: '/spec/containers/0/image', value: 'app:2' }]],
        ['b', [{ op: 'add', path: '/spec/containers/0', value: proxy }]],
      ],
      'a',
    ],
    [
      'nobody, of an item that comes to the front',
      'spec.containers[0].image',
      [
        ['a', [{ op: 'add', path: '/spec/containers/0', value: proxy }]],
        ['b', [{ op: 'remove', path: '/spec/containers/0' }]],
      ],
      undefined,
    ],
    [
      'whoever removes it',
      'spec.schedulerName',
      [['a', [{ op: 'remove', path: '/spec/schedulerName' }]]],
      'a',
    ],
  ];
  for (const [what, path, detail, by] of rows)
    it(what, () => {
      const { setBy } = writerOf(fieldPath(path) ?? [], pod, stepsOf(pod, detail));
      expect(setBy?.configuration).to.equal(by);
    });

  it('is unknown if a webhook was not called', () => {
    const steps = stepsOf(pod, [['a', 'not called']]);
    expect(writerOf(['spec', 'schedulerName'], pod, steps)).to.deep.equal({
      value: 'default-scheduler',
      unknown: [webhookNamed('a')],
    });
  });

  it('an item of a list is left out whole', () =>
    expect(withoutField(pod, ['spec', 'containers', '0'])).to.deep.equal({
      spec: { ...pod.spec, containers: [] },
    }));
});
