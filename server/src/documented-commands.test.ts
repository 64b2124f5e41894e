import { expect, test } from 'vitest'
import { commandsOfOrders } from './test-command-orders.ts'
import { findScript, listDocuments, listScripts, readCommands } from './test-documented-commands.ts'

/** Commands of the README and of CONTRIBUTING that no test of their orders runs, and why. */
const others: Record<string, string> = {
  'npm test': 'runs this test',
  'npm test -- --save-times': 'runs this test',
  'npm run check': 'is a part of npm test',
  'npm run dev': 'is npm start with fixed ports, and the development server of Vite',
  'npm run bench': 'measures for minutes',
  'npm run e2e -- all': 'is run by the browser tests themselves',
  'npm run e2e -- first-visit': 'is run by the browser tests themselves',
  'npm run e2e -- groups': 'is run by the browser tests themselves',
  'npm run faults': 'runs the tests of the orders',
  'npm run faults -- seed': 'runs such a test',
  'SEED_USERS=20000 npm run faults -- seed': 'runs such a test',
  'npm run interop': 'needs other programs',
  'npm run pictures': 'writes the pictures of the README',
  'npm run openapi': 'writes a document that a test compares',
  'npm run errors': 'writes a document that a test compares',
  'npm run seed': 'adds a million users; directory-calls.test.ts seeds a directory',
  'npx vitest run groups': 'runs tests',
  'FC_RUNS=5000 FC_SEED=7 npx vitest run return-url': 'runs tests',
}

test('every command of the README and of CONTRIBUTING is tested, or has a reason why not', () => {
  const documented = new Set([...readCommands('README.md'), ...readCommands('CONTRIBUTING.md')])
  expect(documented.size).toBeGreaterThan(20)
  const known = new Set([...commandsOfOrders, ...Object.keys(others)])
  expect([...documented].filter((command) => !known.has(command))).toEqual([])
  expect([...known].filter((command) => !documented.has(command))).toEqual([])
})

test.each(listDocuments())('every npm script in %s exists', (document) => {
  const scripts = readCommands(document).flatMap((command) => findScript(command) ?? [])
  expect(scripts.filter((name) => !listScripts().includes(name))).toEqual([])
})

test('commands are read from blocks and from the text, without comments', () => {
  const commands = readCommands('README.md')
  expect(commands).toEqual(expect.arrayContaining(['npm start', 'npm run seed -- 2000', 'WEB_CONCURRENCY=4 npm start']))
  expect(findScript('WEB_CONCURRENCY=4 npm start')).toBe('start')
  expect(findScript('npm run --silent config -- export')).toBe('config')
  expect(findScript('npm install vite')).toBeUndefined()
})
