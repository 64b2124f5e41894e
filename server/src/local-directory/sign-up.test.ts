import { getCurrentUser } from '@passport/contract/current-user'
import { createInvitation, revokeInvitation } from '@passport/contract/invitations'
import { acceptJoinInvitation } from '@passport/contract/join'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { holdTransaction } from '../test-hold.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { hashToken } from '../vault.ts'
import { resetPassword } from './reset-password.ts'
import { maxMails } from './sign-up.ts'
import { codeMinutes, generateCode, judgeCode, maxWrongCodes, normaliseCode } from './sign-up-code.ts'
import { parseSignUp } from './sign-up-form.ts'
import { findByName } from './store.ts'

let mailServer: RunningMailServer
let service: TestService

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({ SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
})

const password = 'a long enough password'
let serial = 0
const createEmail = () => `guest.${++serial}@harbour.example`

const mailsTo = (email: string) =>
  mailServer.listMails().filter(({ recipients, subject }) => recipients.includes(email) && !subject.includes('invites'))
/** Waits until the address has got this number of mails besides its invitation, and returns the last. */
async function waitForMail(email: string, count = 1) {
  await expect.poll(() => mailsTo(email).length).toBe(count)
  return mailsTo(email)[0]?.text ?? ''
}
const codeIn = (text: string) => /^\d{6}$/m.exec(text)?.[0] ?? ''
const otherThan = (code: string) => (code === '111111' ? '222222' : '111111')

async function invite(email: string) {
  const ada = await service.as('ada')
  // A link that was handed over proves no address: who signs up with it instead proves theirs by a code.
  const body = { email, roles: ['Passport.Developer'], delivery: 'link' as const }
  const invitation = await ada.call(createInvitation, { body })
  return { invitation, token: invitation.link?.split(/#|join\//)[1] ?? '' }
}

const readError = (page: ShownPage) => /(?:role="alert"|class="field-error")[^>]*>([^<]*)</.exec(page.text)?.[1]
const readLink = (page: ShownPage, label: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${label}<`).exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** Opens the form as the invited user does: from the invitation, through sign-in. */
async function openForm(token: string, browser = createTestBrowser(service.url)) {
  const signIn = await browser.open(`/login?returnUrl=${encodeURIComponent(`/app/join/${token}`)}`)
  return { browser, form: await browser.open(readLink(signIn, 'Create your account')) }
}

/** Opens the form and submits it; returns the page that asks for the code. */
async function begin(token: string, email: string, more: Record<string, string> = {}) {
  const { browser, form } = await openForm(token)
  return { browser, page: await browser.submit(form, { email, name: 'Guest Abara', password, ...more }) }
}

/** Begins a sign-up, and enters the code of the email; returns the target of the response, which is not opened yet. */
async function confirm(token: string, email: string) {
  const { browser } = await begin(token, email)
  const body = `code=${codeIn(await waitForMail(email))}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const confirmed = await browser.send('/idp/signup/code', { method: 'POST', headers, body })
  const { id = '' } = (await findByName(service.sql, email)) ?? {}
  return { browser, target: confirmed.headers.get('location') ?? '', id }
}

const whoIs = async (browser: TestBrowser) => createBrowserCall(service.url, browser)(getCurrentUser, {})
const countUsers = async (email: string) => {
  const [row] = await service.sql`
    select (select count(*)::integer from directory_people where email = ${email}) as people,
      (select count(*)::integer from users where email = ${email} and activated_at is not null) as accounts`
  return row
}

describe('an invited user', () => {
  test('creates an account with the code from the mail, and returns to the invitation signed in', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, page } = await begin(token, email.toUpperCase())
    expect(page.url).toBe(`${service.url}/idp/signup/code`)
    const landed = await browser.submit(page, { code: codeIn(await waitForMail(email)) })
    expect(landed.url).toBe(`${service.url}/app/login?returnUrl=${encodeURIComponent(`/app/join/${token}`)}`)
    await createBrowserCall(service.url, browser)(acceptJoinInvitation, { params: { id: token } })
    const { claims, roles } = await whoIs(browser)
    expect(claims).toMatchObject({ email, name: 'Guest Abara' })
    expect(roles).toContain('Passport.Developer')
    expect(await countUsers(email)).toEqual({ people: 1, accounts: 1 })
    // Wrong passwords elsewhere cannot lock this browser out.
    expect(browser.cookies().some(({ name }) => name.startsWith('passport-device-'))).toBe(true)
    const actions = await service.sql`
      select action from audit_events where target_kind = 'directory-person' and after ->> 'email' = ${email}`
    expect(actions).toEqual([{ action: 'directory.signed-up' }])

    // Later they sign in with their email, in any case.
    const later = createTestBrowser(service.url)
    const signIn = await later.open('/login')
    expect((await later.submit(signIn, { name: email.toUpperCase(), password })).url).toContain('/app/login')
    expect((await whoIs(later)).claims.sub).toBe(claims.sub)
  })

  test('may type the code with spaces, and submit it twice', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, page } = await begin(token, email)
    const code = codeIn(await waitForMail(email))
    const fields = new URLSearchParams({ code: `${code.slice(0, 3)} ${code.slice(3)}` }).toString()
    const init = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: fields }
    const first = await browser.send('/idp/signup/code', init)
    const again = await browser.submit(page, { code })
    expect([first.status, again.url]).toEqual([303, expect.stringContaining('/app/login')])
  })

  test('gets one account from 16 concurrent confirmations', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser } = await begin(token, email)
    const code = codeIn(await waitForMail(email))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const responses = await Promise.all(
      Array.from({ length: 16 }, () =>
        browser.send('/idp/signup/code', { method: 'POST', headers, body: `code=${code}` }),
      ),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([303]))
    const target = responses[0]?.headers.get('location') ?? ''
    expect((await browser.open(target)).url).toContain('/app/login')
    expect(await countUsers(email)).toEqual({ people: 1, accounts: 1 })
    // The sign-up signs the user in once.
    expect((await browser.open(target)).text).toContain('Username or email')
  })

  test('whose password an administrator replaces at that moment gets the form', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, target, id } = await confirm(token, email)
    const release = await holdTransaction(service.sql, (sql) => resetPassword(sql, id, 'the password of an admin', {}))
    const opened = browser.open(target)
    const isWaiting = () =>
      service.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(isWaiting).toHaveLength(1)
    await release()
    const form = await opened
    expect(form.text).toContain('Username or email')
    expect(browser.cookies().some(({ name }) => name === service.services.http.sessionCookie)).toBe(false)
    const landed = await browser.submit(form, { name: email, password: 'the password of an admin' })
    expect(landed.url).toContain('/app/login')
  })

  test('whose password an administrator replaced before gets the form', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, target, id } = await confirm(token, email)
    await resetPassword(service.sql, id, 'the password of an admin', {})
    const form = await browser.open(target)
    expect(form.text).toContain('Username or email')
    expect(browser.cookies().some(({ name }) => name === service.services.http.sessionCookie)).toBe(false)
  })

  test('sees what is wrong at each field, with the values that were entered', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, form } = await openForm(token)
    const page = await browser.submit(form, { email: 'no address', name: ' ', password: 'too short' })
    expect(page.status).toBe(400)
    expect(page.text.match(/class="field-error"[^>]*>[^<]*/g)?.map((text) => text.split('>')[1])).toEqual([
      'Must be an email address, such as ada@example.com.',
      'Must not be empty.',
      'Must have 12 to 256 characters.',
    ])
    expect(page.text).toContain('value="no address"')
    expect(page.text).not.toContain('too short')
    const other = await browser.submit(page, { email: 'other@harbour.example', name: 'Guest', password })
    expect([other.status, readError(other)]).toEqual([400, 'Enter the address to which the invitation was sent.'])
    expect(mailsTo('other@harbour.example')).toEqual([])
  })

  test('can correct the address, and keeps the name', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, page } = await begin(token, email)
    const form = await browser.open(readLink(page, 'Change it'))
    expect(form.text).toContain(`value="${email}"`)
    expect(form.text).toContain('value="Guest Abara"')
    await browser.submit(form, { email, name: 'Guest Abara', password })
    await waitForMail(email, 2)
    const [row] = await service.sql`select count(*)::integer as count from directory_sign_ups where email = ${email}`
    expect(row).toEqual({ count: 1 })
  })

  test('can sign up from the request of an application, which continues', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const browser = createTestBrowser(service.url)
    const signIn = await browser.open(
      `/login?interaction=pending&returnUrl=${encodeURIComponent(`/app/join/${token}`)}`,
    )
    const form = await browser.open(readLink(signIn, 'Create your account'))
    const page = await browser.submit(form, { email, name: 'Guest', password })
    await browser.submit(page, { code: codeIn(await waitForMail(email)) })
    expect(browser.visitedUrls.at(-1)).toContain('/connect/authorize/pending')
  })
})

describe('without an invitation', () => {
  test('nobody can sign up, and the sign-in page does not offer it', async () => {
    const browser = createTestBrowser(service.url)
    expect((await browser.open('/login')).text).not.toContain('Create your account')
    for (const returnTo of ['/app/', '/app/join/unknown-token-of-22-characters']) {
      const page = await browser.open(`/idp/signup?returnUrl=${encodeURIComponent(returnTo)}`)
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('Accounts are created by invitation')])
    }
  })

  test('a revoked invitation ends a sign-up that waits for its code', async () => {
    const email = createEmail()
    const { invitation, token } = await invite(email)
    const { browser, page } = await begin(token, email)
    const code = codeIn(await waitForMail(email))
    const ada = await service.as('ada')
    await ada.call(revokeInvitation, { params: { invitationId: invitation.id } })
    expect((await browser.submit(page, { code })).status).toBe(403)
    expect(await countUsers(email)).toEqual({ people: 0, accounts: 0 })
  })

  test('the form is rejected from another site', async () => {
    const response = await createTestBrowser(service.url).send('/idp/signup', {
      method: 'POST',
      body: 'email=a@b.example',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    expect(response.status).toBe(403)
  })
})

describe('a known address', () => {
  test('gets the same pages as an unknown one, by the same work, and a mail that says to sign in', async () => {
    const [pages, works] = [new Set<string>(), new Set<string>()]
    for (const email of ['eve@passport.example', createEmail()]) {
      const { token } = await invite(email)
      const { browser, form } = await openForm(token)
      let page = form
      const statements = await recordStatements(service.sql, async () => {
        page = await browser.submit(form, { email, name: 'Guest', password })
      })
      // The delivery of mails runs beside the request.
      const ofRequest = statements.filter(
        (text) => /\binsert into mails\b/.test(text) || !/\b(?:update|delete from|from) mails\b/.test(text),
      )
      works.add(JSON.stringify(ofRequest.sort()))
      const wrong = await browser.submit(page, { code: otherThan(codeIn(await waitForMail(email, 3))) })
      const shown = [page, wrong].map(({ status, url, text }) => [status, url, text])
      pages.add(JSON.stringify(shown).replaceAll(email, '…').replaceAll(token, '…'))
    }
    expect(pages.size).toBe(1)
    expect(works.size).toBe(1)
    expect([...works][0]).toContain('insert into mails')
    // Hashing the password takes most of the time.
    const hashes = await service.sql<{ passwordHash: string }[]>`
      select password_hash from directory_sign_ups where email = 'eve@passport.example'`
    expect(hashes.map(({ passwordHash }) => passwordHash.split('$')[1])).toEqual(['argon2id'])
    const mail = mailsTo('eve@passport.example')[0]
    expect(mail?.subject).toBe('You have an account at Stage Passport')
    expect(mail?.text).toContain(`Sign in:\n${service.services.config.publicUrl}/login`)
    expect(codeIn(mail?.text ?? '')).toBe('')
    expect(await countUsers('eve@passport.example')).toEqual({ people: 1, accounts: 1 })
  })
})

describe('a code', () => {
  test('is rejected after 5 wrong ones, and a new one is accepted', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, page } = await begin(token, email)
    const code = codeIn(await waitForMail(email))
    const errors = []
    for (let count = 0; count < maxWrongCodes; count++)
      errors.push(readError(await browser.submit(page, { code: otherThan(code) })))
    expect(errors).toEqual([
      'This code is wrong. 4 tries left.',
      'This code is wrong. 3 tries left.',
      'This code is wrong. 2 tries left.',
      'This code is wrong. 1 try left.',
      'Too many wrong codes. Send a new one.',
    ])
    const rejected = await browser.submit(page, { code })
    expect(readError(rejected)).toBe('Too many wrong codes. Send a new one.')
    expect(rejected.text).not.toContain('name="code"')
    const stopped = await service.sql`select from audit_events where action = 'directory.sign-up-stopped'`
    expect(stopped).toHaveLength(1)

    const resent = await browser.submit(rejected, { resend: 'yes' })
    expect(resent.text).toContain('A new code was sent.')
    const renewed = codeIn(await waitForMail(email, 2))
    expect((await browser.submit(resent, { code: renewed })).url).toContain('/app/login')
  })

  test('is not checked more often by 16 concurrent guesses', async () => {
    const email = createEmail()
    const { browser } = await begin((await invite(email)).token, email)
    const wrong = otherThan(codeIn(await waitForMail(email)))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const texts = await Promise.all(
      Array.from({ length: 16 }, async () =>
        (await browser.send('/idp/signup/code', { method: 'POST', headers, body: `code=${wrong}` })).text(),
      ),
    )
    expect(texts.filter((text) => text.includes('This code is wrong'))).toHaveLength(maxWrongCodes - 1)
  })

  test('expires', async () => {
    const email = createEmail()
    const { browser, page } = await begin((await invite(email)).token, email)
    const code = codeIn(await waitForMail(email))
    const [row] = await service.sql`
      select extract(epoch from code_expires_at - created_at)::integer as seconds from directory_sign_ups where email = ${email}`
    expect(row?.['seconds']).toBe(codeMinutes * 60)
    await service.sql`update directory_sign_ups set code_expires_at = now() where email = ${email}`
    expect(readError(await browser.submit(page, { code }))).toBe('This code has expired. Send a new one.')
    await service.sql`update directory_sign_ups set expires_at = now() where email = ${email}`
    expect((await browser.submit(page, { code })).text).toContain('This sign-up has expired')
    const sweep = service.jobs.find(({ name }) => name === 'sweep')
    await sweep?.run()
    expect(await service.sql`select from directory_sign_ups where email = ${email}`).toHaveLength(0)
  })

  test('is accepted only in the browser that asked for it, and is not stored', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    const { browser, page } = await begin(token, email)
    const code = codeIn(await waitForMail(email))
    const stranger = createTestBrowser(service.url)
    expect((await stranger.submit(page, { code })).text).toContain('This sign-up has expired')
    const other = await begin(token, email)
    await waitForMail(email, 2)
    expect(readError(await other.browser.submit(other.page, { code }))).toContain('This code is wrong')
    const [{ text }] = (await service.sql`
      select (select string_agg(s::text, '') from directory_sign_ups s) || (select string_agg(m::text, '') from mails m)
        || (select string_agg(a::text, '') from audit_events a) as text`) as unknown as [{ text: string }]
    for (const form of [code, hashToken(code)]) expect(text).not.toContain(form)
    expect(text).not.toContain(password)
    // Of two browsers with right codes for one address, the first one creates the account.
    await browser.submit(page, { code })
    const late = await other.browser.submit(other.page, { code: codeIn(await waitForMail(email, 2)) })
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('You have an account already')])
    expect(await countUsers(email)).toEqual({ people: 1, accounts: 1 })
  })

  test('is mailed 5 times an hour to one address', async () => {
    const email = createEmail()
    const { token } = await invite(email)
    let { browser, page } = await begin(token, email)
    for (let count = 1; count < maxMails; count++) page = await browser.submit(page, { resend: 'yes' })
    await waitForMail(email, maxMails)
    page = await browser.submit(page, { resend: 'yes' })
    expect([page.status, readError(page)]).toEqual([429, expect.stringContaining('Try again in 60 minutes.')])
    const again = await begin(token, email)
    expect([again.page.status, readError(again.page)]).toEqual([429, expect.stringContaining('5 emails')])
    expect(mailsTo(email)).toHaveLength(maxMails)
  })
})

test('without a mail server, the page says whom to ask', async () => {
  const silent = await startTestService({ SUPPORT_CONTACT: 'help@stage.example' })
  const ada = await silent.as('ada')
  const { link } = await ada.call(createInvitation, { body: { email: createEmail(), roles: [] } })
  const returnTo = `/app/join/${link?.split('#')[1]}`
  const page = await createTestBrowser(silent.url).open(`/idp/signup?returnUrl=${encodeURIComponent(returnTo)}`)
  expect([page.status, page.text]).toEqual([503, expect.stringContaining('This installation cannot send email')])
  expect(page.text).toContain('help@stage.example')
})

describe('properties', () => {
  test('a code is six digits, however it is spaced', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.constantFrom(' ', '-', '–', '\t'), (at, separator) => {
        const code = generateCode()
        expect(code).toMatch(/^\d{6}$/)
        expect(normaliseCode(` ${code.slice(0, at)}${separator}${code.slice(at)} `)).toBe(code)
      }),
    )
    fc.assert(fc.property(fc.string(), (text) => /^\d{6}$/.test(normaliseCode(text) ?? '000000')))
  })

  test('no sequence of codes has more than 5 checked, or a right one accepted after 5 wrong ones', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ isRight: fc.boolean(), isCodeExpired: fc.boolean() })), (codes) => {
        let [wrongCodes, isConfirmed] = [0, false]
        for (const code of codes) {
          const verdict = judgeCode({ ...code, wrongCodes, isConfirmed })
          if (verdict === 'wrong') wrongCodes++
          if (verdict === 'right') {
            expect([code, wrongCodes < maxWrongCodes, isConfirmed]).toEqual([
              { isRight: true, isCodeExpired: false },
              true,
              false,
            ])
            isConfirmed = true
          }
        }
        expect(wrongCodes).toBeLessThanOrEqual(maxWrongCodes)
      }),
    )
  })

  test('a form is accepted only with an address, a visible name and 12 to 256 characters as a password', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(fc.oneof(text, fc.emailAddress()), text, text, (email, name, password) => {
        const parsed = parseSignUp(new URLSearchParams({ email, name, password }), 'Stage Passport')
        const length = [...password].length
        if ('values' in parsed) {
          expect(length).toBeGreaterThanOrEqual(12)
          expect(length).toBeLessThanOrEqual(256)
          expect(parsed.values.password).toBe(password)
        } else expect(Object.keys(parsed.errors).length).toBeGreaterThan(0)
        const hasPasswordError = 'errors' in parsed && parsed.errors.password !== undefined
        if (length < 12 || length > 256) expect(hasPasswordError).toBe(true)
      }),
    )
  })
})
