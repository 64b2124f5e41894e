import { listActivity } from '@passport/contract/accounts'
import { createTestBrowser, type ShownPage } from '@passport/world/browser'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'
import { resetPassword } from './reset-password.ts'
import { findByName } from './store.ts'

let mailServer: RunningMailServer
let service: TestService

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: 'Stage Passport <id@stage.example>',
  })
})
afterEach(() => service.sql`delete from rate_limits`)

let networkCount = 0
/** Creates a browser in a new network. */
const openBrowser = () => createTestBrowser(service.url, { 'x-forwarded-for': `198.51.${++networkCount}.7` })

const readErrorMessage = (page: ShownPage) => /role="alert"[^>]*>([^<]*)</.exec(page.text)?.[1]
const guessLimitError =
  'Too many wrong passwords. Try again in 24 hours, or in a browser in which you have signed in with this username before.'
const wrongPasswordError = 'Wrong username or password.'

async function tryPassword(name: string, password: string, browser = openBrowser()) {
  return browser.submit(await browser.open('/login?prompt=login'), { name, password })
}

/** Sets the count of wrong passwords of the only name that has one. */
async function setGuesses(count: number) {
  const changed = await service.sql`update rate_limits set points = ${count} where key like 'password-account:%'`
  expect(changed.count).toBe(1)
}

test('100 wrong passwords lock a name for a day from any network, except for known browsers', async () => {
  const home = openBrowser()
  expect((await tryPassword('ada', demoPassword, home)).url).toContain('/app/login')
  expect(readErrorMessage(await tryPassword('ada', 'wrong'))).toBe(wrongPasswordError)
  await setGuesses(98)
  expect((await tryPassword('ada', demoPassword)).url).toContain('/app/login')
  for (const name of ['ada', ' ADA@passport.example '])
    expect(readErrorMessage(await tryPassword(name, 'wrong'))).toBe(wrongPasswordError)
  expect(readErrorMessage(await tryPassword('ada', demoPassword))).toBe(guessLimitError)
  expect(readErrorMessage(await tryPassword('ada', 'wrong'))).toBe(guessLimitError)
  expect((await tryPassword('ada', demoPassword, home)).url).toContain('/app/login')
  expect((await tryPassword('dev', demoPassword)).url).toContain('/app/login')
  await service.sql`update rate_limits set expire = ${Date.now() - 1} where key like 'password-account:%'`
  expect((await tryPassword('Ada@passport.example', demoPassword)).url).toContain('/app/login')
  expect((await tryPassword('ada', demoPassword)).url).toContain('/app/login')
})

test('the user of a locked name is notified once, in their activity and by mail', async () => {
  expect(readErrorMessage(await tryPassword('eve', 'wrong'))).toBe(wrongPasswordError)
  for (let round = 0; round < 2; round++) {
    await setGuesses(99)
    expect(readErrorMessage(await tryPassword('eve', 'wrong'))).toBe(wrongPasswordError)
    expect(readErrorMessage(await tryPassword('eve', 'wrong'))).toBe(guessLimitError)
  }
  const { items } = await (await service.as('eve')).call(listActivity, { query: {} })
  expect(items.filter(({ action }) => action === 'directory.guesses-stopped')).toMatchObject([{ idp: 'local' }])
  const user = await findByName(service.sql, 'eve')
  const mail = await mailServer.waitForMailTo(user?.email ?? '')
  expect(mail.subject).toBe('Many wrong passwords for your Stage Passport account')
  expect(mail.text).toContain('100 wrong passwords were entered for your username eve within a day.')
  expect(mail.text).toContain(`${service.services.config.publicUrl}/app/account/logins`)
  const [mails] = await service.sql`select count(*)::integer as sent from mails where recipient = ${user?.email ?? ''}`
  expect(mails?.['sent']).toBe(1)
})

test('an unknown name is locked after 100 wrong passwords too', async () => {
  expect(readErrorMessage(await tryPassword('nobody', 'wrong'))).toBe(wrongPasswordError)
  await setGuesses(99)
  expect(readErrorMessage(await tryPassword('nobody', 'wrong'))).toBe(wrongPasswordError)
  expect(readErrorMessage(await tryPassword('nobody', 'wrong'))).toBe(guessLimitError)
})

test('concurrent guesses from many networks cannot exceed the limit', async () => {
  await tryPassword('max', 'wrong')
  await setGuesses(96)
  const pages = await Promise.all(Array.from({ length: 12 }, () => tryPassword('max', 'wrong')))
  const messages = pages.map(readErrorMessage)
  expect(messages.filter((message) => message === wrongPasswordError)).toHaveLength(4)
  expect(messages.filter((message) => message === guessLimitError)).toHaveLength(8)
})

test('a new password is accepted despite the guesses at the old one', async () => {
  await tryPassword('dev', 'wrong')
  await setGuesses(100)
  expect(readErrorMessage(await tryPassword('dev', demoPassword))).toBe(guessLimitError)
  const user = await findByName(service.sql, 'dev')
  await transaction(service.sql, (sql) => resetPassword(sql, user?.id ?? '', 'another password of dev', {}))
  expect((await tryPassword('dev', 'another password of dev')).url).toContain('/app/login')
})
