import { expect } from 'chai';
import { invalidFields, isFieldChanged } from '../../../src/apiserver/patch/invalid-fields.ts';

describe('invalidFields', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['Pod "a" is invalid: spec.containers[0].image: Required value', ['spec.containers[0].image']],
    [
      'ConfigMap "a" is invalid: [data[a b]: Invalid value: "a b": a valid config key must consist of, metadata.labels: Invalid value: "-x": a valid label must be an empty string or consist of alphanumeric characters, \'-\', \'_\' or \'.\', and so on]',
      ['metadata.labels'],
    ],
    [
      'Deployment.apps "a" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "Always"]',
      ['spec.replicas', 'spec.template.spec.restartPolicy'],
    ],
    ['admission webhook "a" denied the request: spec: Required value', []],
    ['Internal error occurred: jsonpatch add operation does not apply', []],
  ];
  for (const [message, fields] of cases) {
    it(message.slice(0, 60), () => expect(invalidFields(message)).to.deep.equal(fields));
  }
});

describe('isChanged', () => {
  const pod = <S extends object>(spec: S, metadata: object = {}) => ({
    metadata: { name: 'a', ...metadata },
    spec,
  });
  const before = pod({ containers: [{ name: 'a', image: 'x' }] });
  const cases: readonly (readonly [string, unknown, string, boolean])[] = [
    ['a field that was set', pod({ ...before.spec, replicas: -1 }), 'spec.replicas', true],
    [
      'a field that was changed',
      pod({ containers: [{ name: 'a', image: '' }] }),
      'spec.containers[0].image',
      true,
    ],
    ['a field that was removed', pod({}), 'spec.containers', true],
    [
      'a field that is missing in what was added',
      pod({ containers: [...before.spec.containers, { name: 'b' }] }),
      'spec.containers[1].image',
      true,
    ],
    [
      'a field that was missing before, too',
      pod({ containers: [{ name: 'a', image: 'y' }] }),
      'spec.containers[0].command',
      false,
    ],
    [
      'a field beside what was changed',
      pod(before.spec, { labels: { a: 'b' } }),
      'spec.containers[0].image',
      false,
    ],
    [
      'a key with dots',
      pod(before.spec, { annotations: { 'a.example.com/b': '' } }),
      'metadata.annotations[a.example.com/b]',
      true,
    ],
    ['nothing', before, 'spec.containers[0].image', false],
  ];
  for (const [name, after, field, changed] of cases) {
    it(`${changed ? 'is' : 'is not'} ${name}`, () =>
      expect(isFieldChanged(before, after, field)).to.equal(changed));
  }
});
