import { type Call, caller } from '@passport/contract/call'
import { inject } from 'vitest'
import * as accounts from './accounts/store.ts'
import type { createApp } from './app.ts'
import { assemble } from './assemble.ts'
import { loadConfig } from './config.ts'
import { addCast, cast } from './database/cast.ts'
import { type DatabaseOptions, openDatabase, type Sql } from './database/sql.ts'
import { listen } from './http/listen.ts'
import { createLog } from './http/log.ts'
import { findByName, identityIssuer } from './local-directory/store.ts'
import type { Services } from './room.ts'
import * as sessions from './sessions/store.ts'
import { template, testSecret } from './test-database.ts'
import { atTheEnd } from './test-endings.ts'
import { countAsDatabase } from './test-times.ts'
import { createVault } from './vault.ts'

/** The demonstration people, and `max`: an administrator who is no developer. */
const people = [...cast, { name: 'max', displayName: 'Max Weber', roles: ['Passport.Admin'] }]
export const castPassword = 'the password of the whole cast'

/** Someone who calls: `undefined` is a stranger. */
export type Who = 'ada' | 'dev' | 'eve' | 'max' | undefined

/** One who calls, signed in by a session of their own. */
export interface Visitor {
  /** Their user id; empty for a stranger. */
  id: string
  call: Call
  /** Like `fetch`, with their cookie; redirects are not followed. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The `Cookie` header of their session. */
  cookie: string
}

export interface TestService {
  url: string
  app: ReturnType<typeof createApp>
  services: Services
  sql: Sql
  as: (who: Who) => Promise<Visitor>
  /** For tests of the end; it comes by itself after the others. */
  stop: () => Promise<void>
}

let serial = 0

/** A new database for the test file that asks: a copy of the one that the run prepared, migrated and without users. */
export function createTestDatabase(options: DatabaseOptions = {}, copyOf = template): Promise<Sql> {
  return countAsDatabase(async () => {
    const address = { socketDirectory: inject('socketDirectory'), user: 'passport' }
    const name = `test_${process.pid}_${++serial}`
    const admin = openDatabase({ ...address, database: 'postgres' }, { maxConnections: 1 })
    await admin.unsafe(`create database ${name} template ${copyOf} strategy file_copy`)
    await admin.end()
    const sql = openDatabase({ ...address, database: name }, options)
    atTheEnd(() => sql.end({ timeout: 1 }))
    return sql
  })
}

/** The whole service, listening, on a database of its own, with the demo users in it. Stops after the file's tests. */
export function startTestService(
  env: Record<string, string> = {},
  options: DatabaseOptions = {},
): Promise<TestService> {
  return countAsDatabase(async () => {
    const sql = await createTestDatabase(options)
    const listening = await listen(Number(env['PORT'] ?? 0), '127.0.0.1', 'http://localhost')
    const config = loadConfig({ LOG_LEVEL: 'silent', ...env, PORT: String(listening.port) })
    const vault = createVault(testSecret)
    const log = createLog(config.logLevel)
    const { app, services } = await assemble({ config, sql, vault, log, listening })
    await addCast(sql, people, castPassword)
    listening.answerWith(app)
    atTheEnd(async () => {
      await listening.stop()
      await services.permissions.close()
    })
    const url = `http://localhost:${listening.port}`
    return { url, app, services, sql, as: (who) => visitor(url, services, who), stop: listening.stop }
  })
}

async function visitor(url: string, services: Services, who: Who): Promise<Visitor> {
  const { id, cookie } = who ? await startSession(services, who) : { id: '', cookie: '' }
  const send = (request: Request) => {
    if (cookie) request.headers.set('cookie', cookie)
    if (!request.headers.has('sec-fetch-site')) request.headers.set('sec-fetch-site', 'same-origin')
    return fetch(request)
  }
  return {
    id,
    cookie,
    call: caller(url, send),
    fetch: (path, init) => send(new Request(new URL(path, url), { redirect: 'manual', ...init })),
  }
}

async function startSession({ sql, door }: Services, who: string) {
  const person = await findByName(sql, who)
  const login = await accounts.findLogin(sql, identityIssuer, person?.id ?? '')
  if (!login) throw new Error(`${who} is not of the cast`)
  const token = await sessions.start(sql, {
    userId: login.userId,
    loginId: login.id,
    idp: 'local',
    authTime: new Date().toISOString(),
    amr: ['pwd'],
    ip: '127.0.0.1',
    userAgent: 'test',
    interaction: null,
    providerSession: null,
    upstreamIdToken: null,
  })
  return { id: login.userId, cookie: `${door.sessionCookie}=${token}` }
}
