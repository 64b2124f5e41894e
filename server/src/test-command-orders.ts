/** A step of a person at terminals. The commands are those of the documents, character by character. */
export type Step =
  /** Runs a command to its end. */
  | { run: string; says: RegExp; code: 0 | 1 }
  /** Starts a command in a terminal of its own, and waits until it says something. */
  | { begin: string; says?: RegExp }
  /** Waits until a begun command says something. */
  | { await: string; says: RegExp }
  /** Waits for the end of a begun command, after Ctrl-C if it is interrupted; by an impatient person, again and again. */
  | { end: string; says?: RegExp; code?: 0 | 1; isInterrupted?: true | 'impatiently' }
  /** Waits until the server has written a sample of its health, as it does each minute. */
  | { awaitSample: true }

const seed = 'npm run seed -- 2000'
const confirmedReset = 'npm run reset -- --yes'
const isReady = /"msg":"ready"/
const isDone = /\d s {3}done/
const hasData = /^Nothing was added: besides the demo users, the database already has users \(2,012\), /m
const isRunning = /^Passport \(process \d+\) is running with the data directory \S+\. Stop it first\.$/m

/** The orders in which a person may run the commands of the README, each with its own data directory. */
export const orders: Record<string, Step[]> = {
  'start, seed, stop, reset, start': [
    { begin: 'npm start', says: isReady },
    { awaitSample: true },
    { run: seed, says: isDone, code: 0 },
    { run: seed, says: hasData, code: 1 },
    { run: confirmedReset, says: isRunning, code: 1 },
    { end: 'npm start', isInterrupted: true },
    { run: seed, says: hasData, code: 1 },
    { run: 'npm run reset', says: /^To confirm without a terminal: npm run reset -- --yes$/m, code: 1 },
    { run: confirmedReset, says: /^All data was deleted\.$/m, code: 0 },
    { begin: 'npm start', says: /shown only once: {2}\S+/ },
  ],
  'seed, start while it runs': [
    { begin: 'DATA_DIR=/tmp/company npm run seed -- 2000', says: / organisations\n/ },
    { begin: 'npm start', says: /Waiting for npm run seed \(process \d+\) to end, which uses / },
    { end: 'DATA_DIR=/tmp/company npm run seed -- 2000', says: isDone, code: 0 },
    { await: 'npm start', says: isReady },
    { run: seed, says: hasData, code: 1 },
  ],
  'start and seed at the same moment': [
    { begin: 'npm start' },
    { begin: seed },
    { end: seed, says: isDone, code: 0 },
    { await: 'npm start', says: isReady },
  ],
  'seed twice at the same time': [
    { begin: seed, says: /activity computed/ },
    { run: seed, says: hasData, code: 1 },
    { end: seed, says: isDone, code: 0 },
  ],
  'seed, Ctrl-C, seed': [
    { begin: seed, says: / organisations\n/ },
    { end: seed, says: /^Interrupted\.$/m, isInterrupted: true },
    { run: seed, says: isDone, code: 0 },
  ],
  'start, seed, Ctrl-C of the seed, seed': [
    { begin: 'npm start', says: isReady },
    { begin: seed, says: / organisations\n/ },
    { end: seed, says: /^Interrupted\.$/m, isInterrupted: true },
    { run: seed, says: isDone, code: 0 },
  ],
  'start, seed, Ctrl-C of the server while the seed runs': [
    { begin: 'npm start', says: isReady },
    { begin: seed, says: / organisations\n/ },
    {
      end: 'npm start',
      says: /Waiting for npm run seed \(process \d+\), which uses the/,
      isInterrupted: true,
    },
    { end: seed, says: isDone, code: 0 },
    { run: seed, says: hasData, code: 1 },
  ],
  'start, seed, Ctrl-C of the server again and again, start': [
    { begin: 'npm start', says: isReady },
    { begin: seed, says: / organisations\n/ },
    { end: 'npm start', isInterrupted: 'impatiently' },
    { end: seed, says: /^The connection to the database was lost\.$/m, code: 1 },
    { begin: 'npm start', says: isReady },
    { run: seed, says: isDone, code: 0 },
  ],
  'several processes, seed': [
    { begin: 'WEB_CONCURRENCY=4 npm start', says: isReady },
    { run: seed, says: isDone, code: 0 },
    { end: 'WEB_CONCURRENCY=4 npm start', isInterrupted: true },
  ],
  'start, world': [
    { begin: 'npm start', says: isReady },
    {
      run: 'npm run world',
      says: /^ {2}The demo world cannot start: port \d+ is in use, perhaps by Passport/m,
      code: 1,
    },
    { end: 'npm start', isInterrupted: true },
    { run: 'npm run world', says: /is no demo world, .* DATA_DIR=\S+ npm run reset$/m, code: 1 },
  ],
  'world, Ctrl-C, world, seed, reset, start': [
    { begin: 'npm run world', says: /Starting the demo world/ },
    { end: 'npm run world', isInterrupted: true },
    { begin: 'npm run world', says: /Ten things to try/ },
    { run: seed, says: /^Nothing was added: besides the demo users, the database already has users /m, code: 1 },
    { run: confirmedReset, says: isRunning, code: 1 },
    { end: 'npm run world', isInterrupted: true },
    { begin: 'npm start', says: isReady },
    { end: 'npm start', isInterrupted: true },
    { run: confirmedReset, says: /^All data was deleted\.$/m, code: 0 },
  ],
  'device, start, device': [
    {
      run: 'npm run device',
      says: /^No Passport responds at http:\/\/localhost:\d+\. Start it with npm start/m,
      code: 1,
    },
    { begin: 'npm start', says: isReady },
    { begin: 'npm run device', says: /enter the code/ },
    { end: 'npm run device', isInterrupted: true },
  ],
}

/** The commands that the orders run. */
export const commandsOfOrders: ReadonlySet<string> = new Set(
  Object.values(orders)
    .flat()
    .flatMap((step) => ('run' in step ? step.run : 'begin' in step ? step.begin : [])),
)
