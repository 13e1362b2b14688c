import { expect } from 'chai';
import { isLively, terminalLook } from '../../src/cli/terminal.ts';

const tty = { isTTY: true, columns: 91 };
const pipe = {};
const utf8 = { LANG: 'de_DE.UTF-8' };

describe('the look of text', () => {
  for (const [name, stream, env, width] of [
    ['the terminal', tty, {}, 91],
    ['the terminal, whatever COLUMNS says', tty, { COLUMNS: '70' }, 91],
    ['a terminal that does not know', { isTTY: true, columns: 0 }, {}, 80],
    ['a pipe', pipe, {}, 80],
    ['a pipe with COLUMNS', pipe, { COLUMNS: '72' }, 72],
    ['a pipe with nonsense in COLUMNS', pipe, { COLUMNS: 'wide' }, 80],
  ] as const) {
    it(`takes its width from ${name}`, () => {
      expect(terminalLook(stream, env).width).to.equal(width);
    });
  }

  for (const [name, stream, env, colour] of [
    ['on a terminal', tty, {}, true],
    ['in a pipe', pipe, {}, false],
    ['in a pipe of CI', pipe, { CI: 'true' }, false],
    ['on a dumb terminal', tty, { TERM: 'dumb' }, false],
    ['with NO_COLOR', tty, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', tty, { NO_COLOR: '' }, true],
    ['in a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
    ['with FORCE_COLOR=0', tty, { FORCE_COLOR: '0' }, false],
    ['with both', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ] as const) {
    it(`is ${colour ? 'coloured' : 'plain'} ${name}`, () => {
      expect(terminalLook(stream, env).colour).to.equal(colour);
    });
  }

  for (const [name, env, platform, unicode] of [
    ['a UTF-8 locale', utf8, 'linux', true],
    ['C.utf8', { LC_ALL: 'C.utf8' }, 'linux', true],
    ['LC_ALL=C over LANG', { LC_ALL: 'C', ...utf8 }, 'linux', false],
    ['an empty LC_ALL', { LC_ALL: '', ...utf8 }, 'linux', true],
    ['Latin-1', { LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
    ['no locale', {}, 'linux', false],
    ['no locale on macOS', {}, 'darwin', true],
    ['Windows Terminal', { WT_SESSION: 'x' }, 'win32', true],
    ['an old Windows console', {}, 'win32', false],
  ] as const) {
    it(`is ${unicode ? 'Unicode' : 'ASCII'} with ${name}`, () => {
      expect(terminalLook(tty, env, platform).unicode).to.equal(unicode);
    });
  }

  it('is animated only on a terminal', () => {
    expect(isLively(tty, {})).to.equal(true);
    for (const [stream, env] of [
      [pipe, {}],
      [tty, { CI: '1' }],
      [tty, { TERM: 'dumb' }],
      [{ isTTY: true, columns: 0 }, {}],
    ] as const)
      expect(isLively(stream, env)).to.equal(false);
  });
});
