import type { Call } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { addGroupMembers, createGroup, listGroups } from '@passport/contract/groups'
import { putPreference } from '@passport/contract/preferences'
import { createUser, listUsers } from '@passport/contract/users'
import { createTestBrowser } from '@passport/world/browser'
import type { RunningServer } from '@passport/world/process'
import { expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { useProcesses } from '../test-processes.ts'

const processes = useProcesses()

async function signIn(server: RunningServer, name: string): Promise<Call> {
  const browser = createTestBrowser(server.url)
  const page = await browser.submit(await browser.open('/login'), { name, password: server.password })
  expect(page.url).toContain('/app/login')
  return createBrowserCall(server.url, browser)
}

/** Repeats a request until the signal aborts, and collects its errors except those of the rate limit. */
async function repeat(request: (count: number) => Promise<unknown>, failures: string[], signal: AbortSignal) {
  for (let count = 0; ; count++) {
    if (signal.aborted) return count
    await request(count).catch((error: Error & { status?: number }) => {
      if (error.status !== 429 && failures.length < 20) failures.push(`${error.message}: ${request}`)
    })
  }
}

/** `SEED_USERS=20000 npm run faults -- seed` adds more users. */
const userCounts = [process.env['SEED_USERS'] ?? '2000']

test.for(userCounts)('requests to a server succeed while %s users are added', { timeout: 300_000 }, async (users) => {
  const env = { DATA_DIR: `${processes.dataDir}/${users}` }
  const server = await processes.startServer(env)
  const [admin, developer, user] = [
    await signIn(server, 'ada'),
    await signIn(server, 'dev'),
    await signIn(server, 'eve'),
  ]
  const seed = processes.run('commands/seed.ts', [users], env)
  const failures: string[] = []
  const ending = new AbortController()
  const reads = [
    repeat(() => user(getCurrentUser, {}), failures, ending.signal),
    repeat(() => admin(listUsers, { query: {} }), failures, ending.signal),
    repeat(() => developer(listGroups, { query: {} }), failures, ending.signal),
    repeat(() => signIn(server, 'eve'), failures, ending.signal),
  ]
  // The seed has checked that there is no other data.
  await seed.waitForOutput(/ roles\n/)
  const writes = [
    repeat(
      (count) => developer(putPreference, { params: { userId: 'me', key: `key.${count % 20}` }, body: String(count) }),
      failures,
      ending.signal,
    ),
    repeat(
      async (count) => {
        const { id } = await admin(createUser, { query: {}, body: { displayname: `User ${count}` } })
        const group = await admin(createGroup, { body: { name: `Group ${count}` } })
        await admin(addGroupMembers, { params: { groupId: group.id }, query: {}, body: { members: [id] } })
      },
      failures,
      ending.signal,
    ),
  ]
  const { code } = await seed.exited
  ending.abort()
  const counts = await Promise.all([...reads, ...writes])
  expect({ code, failures }).toEqual({ code: 0, failures: [] })
  expect(Math.min(...counts)).toBeGreaterThan(0)
})
