import { expect } from 'chai';
import { parseBackendArguments } from './arguments.ts';

describe('arguments of the backend program', () => {
  it('have defaults for a Pod', () => {
    expect(parseBackendArguments(['--cert-dir', '/certs'])).to.deep.equal({
      lease: undefined,
      clientCaFile: undefined,
      listenAfter: undefined,
      options: { folder: '/certs', port: 8443, bind: '0.0.0.0' },
    });
  });

  it('set a patch', () => {
    const { options } = parseBackendArguments(['--answer', 'patch', '--patch', '[{"op":"remove"}]']);
    expect(options).to.deep.include({ answer: 'patch', patch: [{ op: 'remove' }] });
  });

  it('delay listening', () => {
    const { listenAfter, options } = parseBackendArguments(['--listen-after', '2s']);
    expect(listenAfter).to.equal(2000);
    expect(options).to.include({ gate: 'listener', leader: false });
  });

  it('set options, times in milliseconds', () => {
    const line =
      '--port 9443 --bind :: --answer deny --message no --delay 2s --idle-timeout 500ms --leader-gated cache --warm-up 90s ' +
      '--lease shop/leader --readiness-port 8081 --not-ready --no-reload --client-ca /ca.crt --tls-min TLSv1.3';
    expect(parseBackendArguments(line.split(' '))).to.deep.equal({
      lease: 'shop/leader',
      clientCaFile: '/ca.crt',
      listenAfter: undefined,
      options: {
        port: 9443,
        bind: '::',
        answer: 'deny',
        message: 'no',
        delay: 2000,
        idleTimeout: 500,
        gate: 'cache',
        warmUp: 90_000,
        leader: false,
        readinessPort: 8081,
        ready: false,
        reload: false,
        minTls: 'TLSv1.3',
      },
    });
  });

  for (const [line, sentence] of [
    ['--answer maybe', /invalid --answer "maybe": must be one of allow, deny, /],
    ['--delay 3', /invalid --delay "3": must be a time such as 500ms or 3s/],
    ['--port https', /invalid --port "https": must be a number/],
    ['--lease leader', /--lease must be NAMESPACE\/NAME/],
    ['--nonsense', /--nonsense/],
  ] as const) {
    it(`refuses ${line}`, () => {
      expect(() => parseBackendArguments(line.split(' '))).to.throw(sentence);
    });
  }
});
