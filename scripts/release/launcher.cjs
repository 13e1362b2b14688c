// The first code of a single executable: the program, and what V8 had compiled of it when it was built.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

// Compiled code of another V8 or processor, or none, is not an error: V8 compiles then.
const cachedData = Buffer.from(getRawAsset('compiled'));
// The program is ASCII.
const program = Buffer.from(getRawAsset('program')).latin1Slice();
new Script(program, { filename: 'kubectl-webhook', cachedData }).runInThisContext()(require);
