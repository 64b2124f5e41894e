import { type Call, createApiCall } from '@passport/contract/call'
import { inject } from 'vitest'
import * as accounts from './accounts/store.ts'
import type { createApp } from './app.ts'
import { assemble } from './assemble.ts'
import { loadConfig } from './config.ts'
import { serverRole, superuser } from './database/embedded-roles.ts'
import type { Job } from './database/jobs.ts'
import { type DatabaseOptions, openDatabase, type Sql } from './database/sql.ts'
import type { TestProxy } from './database/test-proxy.ts'
import type { Services } from './feature.ts'
import type { Instance } from './health/instance.ts'
import { listen } from './http/listen.ts'
import { findByName, identityIssuer } from './local-directory/store.ts'
import { createLog } from './log.ts'
import { addDemoUsers, demoUsers } from './seed/demo-users.ts'
import { onFileEnd } from './test-cleanups.ts'
import { template, testSecret } from './test-database.ts'
import { startTestSession } from './test-session.ts'
import { addStatement } from './test-statements.ts'
import { countDatabaseTime } from './test-times.ts'
import { createVault } from './vault.ts'

/** The demo users, and `max`: an administrator who is no developer. */
const testUsers = [...demoUsers, { name: 'max', displayName: 'Max Weber', roles: ['Passport.Admin'] }]
export const demoPassword = 'the password of all demo users'

/** The name of a test user; `undefined` for an anonymous caller. */
export type UserName = 'ada' | 'dev' | 'eve' | 'max' | undefined

/** A caller of the service, with a session unless anonymous. */
export interface Visitor {
  /** The user id; empty for an anonymous caller. */
  id: string
  call: Call
  /** Like `fetch`, with the session cookie; does not follow redirects. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The `Cookie` header of the session. */
  cookie: string
}

export interface TestService {
  url: string
  app: ReturnType<typeof createApp>['app']
  listProtocolRoutes: () => string[]
  services: Services
  /** The recurring jobs, which do not run by themselves. */
  jobs: Job[]
  /** The instance, which does not beat by itself. */
  instance: Instance
  sql: Sql
  as: (name: UserName) => Promise<Visitor>
  /** Stops the service before the end of the tests, for tests of the shutdown. */
  stop: () => Promise<void>
}

export interface TestDatabaseOptions extends DatabaseOptions {
  /** A network proxy between the service and the database; none by default. */
  proxy?: TestProxy
  /** The database of another service, which the service shares like a second process; by default a database of its own. */
  sharedWith?: TestService
}

let serial = 0

/** Executes a statement for which the role of the server has no right. */
export async function executeAsSuperuser(database: string, statement: string): Promise<void> {
  const address = { socketDirectory: inject('socketDirectory'), user: superuser, database }
  const admin = openDatabase(address, { maxConnections: 1 })
  await admin.unsafe(statement)
  await admin.end()
}

/** Creates a database for a test file, as a copy of the template: migrated and without users. */
export function createTestDatabase(options: TestDatabaseOptions = {}, source = template): Promise<Sql> {
  return countDatabaseTime(async () => {
    // Only a superuser loads `auto_explain`, which records the plans of statements.
    const user = options.settings?.['session_preload_libraries'] ? superuser : serverRole
    const address = { socketDirectory: inject('socketDirectory'), user }
    const name = `test_${process.pid}_${++serial}`
    await executeAsSuperuser(
      'postgres',
      `create database ${name} owner ${serverRole} template ${source} strategy file_copy`,
    )
    // Its files may be in memory.
    onFileEnd(() => executeAsSuperuser('postgres', `drop database if exists ${name} with (force)`))
    const { proxy, sharedWith: _, onStatement, ...others } = options
    const recordStatement = (text: string) => {
      addStatement(text)
      onStatement?.(text)
    }
    const databaseOptions = { ...others, onStatement: recordStatement }
    const sql = openDatabase(proxy ? { url: proxy.url(name) } : { ...address, database: name }, databaseOptions)
    onFileEnd(() => sql.end({ timeout: 1 }))
    return sql
  })
}

/** Starts the whole service on its own database with the demo users. Stops after the file's tests. */
export function startTestService(
  env: Record<string, string> = {},
  options: TestDatabaseOptions = {},
): Promise<TestService> {
  return countDatabaseTime(async () => {
    const sql = options.sharedWith?.sql ?? (await createTestDatabase(options))
    const listening = await listen(Number(env['PORT'] ?? 0), '127.0.0.1', 'http://localhost')
    const config = loadConfig({ LOG_LEVEL: 'silent', ...env, PORT: String(listening.port) })
    const vault = createVault(testSecret)
    const log = createLog(config.logLevel)
    const { app, listProtocolRoutes, services, jobs, instance, ...parts } = await assemble({
      config,
      sql,
      vault,
      log,
      listener: listening,
    })
    if (!options.sharedWith) await addDemoUsers(sql, testUsers, demoPassword)
    listening.useApp(app, parts)
    onFileEnd(async () => {
      await listening.stop()
      await services.permissions.close()
    })
    const url = `http://localhost:${listening.port}`
    return {
      url,
      app,
      listProtocolRoutes,
      services,
      jobs,
      instance,
      sql,
      as: (name) => createVisitor(url, services, name),
      stop: listening.stop,
    }
  })
}

async function createVisitor(url: string, services: Services, name: UserName): Promise<Visitor> {
  const { id, cookie } = name ? await startSession(services, name) : { id: '', cookie: '' }
  const send = (request: Request) => {
    if (cookie) request.headers.set('cookie', cookie)
    if (!request.headers.has('sec-fetch-site')) request.headers.set('sec-fetch-site', 'same-origin')
    return fetch(request)
  }
  return {
    id,
    cookie,
    call: createApiCall(url, send),
    fetch: (path, init) => send(new Request(new URL(path, url), { redirect: 'manual', ...init })),
  }
}

async function startSession({ sql, http }: Services, name: string) {
  const directoryUser = await findByName(sql, name)
  const login = await accounts.findLogin(sql, identityIssuer, directoryUser?.id ?? '')
  if (!login) throw new Error(`${name} is not a demo user`)
  const token = await startTestSession(sql, { userId: login.userId, loginId: login.id })
  return { id: login.userId, cookie: `${http.sessionCookie}=${token}` }
}
