import { listAuditEntries } from '@passport/contract/audit'
import * as api from '@passport/contract/mail'
import { type MailKindId, mailKinds } from '@passport/contract/mail-kinds'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { findFreePort } from '@passport/world/port'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { sendMail } from './send.ts'

let mailServer: RunningMailServer
let service: TestService
let ada: Visitor

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({ SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
  ada = await service.as('ada')
})
beforeEach(async () => {
  await service.sql`delete from mails`
  await service.sql`delete from rate_limits`
  mailServer.listMails().length = 0
})

const send = (address: string) =>
  sendMail(service.sql, service.services, { name: 'Nora', address }, 'invitation', {
    inviter: 'Ada',
    orgName: null,
    email: address,
    path: '/app/join/secret-of-the-link',
    days: 14,
  })
/** Sends an email that the server refuses for good. */
async function fail(address: string) {
  mailServer.rejectNext(1, 550)
  const id = await send(address)
  await expect.poll(() => stateOf(id)).toBe('failed')
  return id
}
async function stateOf(id: string) {
  const [row] = await service.sql`select state from mails where id = ${id}`
  return row?.['state']
}
const list = async (query: object = {}) => (await ada.call(api.listMails, { query })).items

describe('the list', () => {
  test('has every email with its state and the response of the mail server, without its content', async () => {
    await fail('wrong@harbour.example')
    mailServer.rejectNext(1, 451)
    const waiting = await send('patient@harbour.example')
    await expect.poll(async () => (await list({ state: 'queued' }))[0]?.response).toMatch(/451 Not now/)
    const sent = await send('nora@lighthouse.example')
    await expect.poll(() => stateOf(sent)).toBe('sent')
    const items = await list()
    expect(items.map(({ recipient, state }) => [recipient, state])).toEqual([
      ['nora@lighthouse.example', 'sent'],
      ['patient@harbour.example', 'queued'],
      ['wrong@harbour.example', 'failed'],
    ])
    expect(items[0]).toMatchObject({ kind: 'invitation', response: expect.stringMatching(/^250 /), resendUntil: null })
    expect(items[1]).toMatchObject({ id: waiting, attempts: 1, dueAt: expect.any(String), endedAt: null })
    expect(items[2]).toMatchObject({ response: expect.stringMatching(/550 Not now/), resendUntil: expect.any(String) })
    expect(JSON.stringify(items)).not.toMatch(/secret-of-the-link|invites you/)
  })

  test('is searched by the words of recipients, filtered, and paged with a cursor', async () => {
    const ids = []
    for (const name of ['ana', 'bo', 'cleo']) ids.unshift(await fail(`${name}@harbour.example`))
    expect((await list({ query: 'BO harb' })).map(({ recipient }) => recipient)).toEqual(['bo@harbour.example'])
    expect(await list({ query: 'bo cleo' })).toEqual([])
    expect(await list({ state: 'failed', kind: 'invitation' })).toHaveLength(3)
    expect(await list({ kind: 'test' })).toEqual([])
    const first = await ada.call(api.listMails, { query: { limit: 2 } })
    const after = new URL(first.next ?? '', service.url).searchParams.get('after') ?? ''
    const second = await ada.call(api.listMails, { query: { limit: 2, page: 2, after } })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    expect([first.total, second.next]).toEqual([3, null])
  })
})

describe('a failed email', () => {
  test('is sent again with its content, audited, and counted', async () => {
    const id = await fail('late@harbour.example')
    expect(await ada.call(api.getMailStatus, {})).toMatchObject({ waiting: 0, resendable: 1 })
    expect(await ada.call(api.resendMails, { body: { ids: [id, 'missing'] } })).toEqual({
      resent: [id],
      skipped: ['missing'],
    })
    expect((await mailServer.waitForMailTo('late@harbour.example')).text).toContain('/app/join/secret-of-the-link')
    await expect.poll(() => stateOf(id)).toBe('sent')
    const { items } = await ada.call(listAuditEntries, { query: { action: 'mail.resent' } })
    expect(items[0]).toMatchObject({
      actor: { id: ada.id },
      target: { kind: 'mail', id },
      before: { state: 'failed', response: expect.stringMatching(/550/) },
      after: { state: 'queued', kind: 'invitation', email: 'late@harbour.example' },
    })
    const { days, resendable } = await ada.call(api.getMailStatus, {})
    expect(days).toHaveLength(api.mailFigureDays)
    expect([days.at(-1), resendable]).toEqual([{ day: new Date().toISOString().slice(0, 10), sent: 1, failed: 0 }, 0])
  })

  test('is queued once by 16 requests at the same time', async () => {
    const id = await fail('once@harbour.example')
    const results = await Promise.all(
      Array.from({ length: 16 }, () => ada.call(api.resendMails, { body: { ids: [id] } })),
    )
    expect(results.flatMap(({ resent }) => resent)).toEqual([id])
    await expect.poll(() => stateOf(id)).toBe('sent')
    expect(mailServer.listMails()).toHaveLength(1)
  })

  test('is not sent again after its content is no longer true, and never if it was sent', async () => {
    const failed = await fail('old@harbour.example')
    await service.sql`update mails set valid_until = now() where id = ${failed}`
    const sent = await send('done@harbour.example')
    await expect.poll(() => stateOf(sent)).toBe('sent')
    expect(await ada.call(api.resendMails, { body: { ids: [failed, sent] } })).toEqual({
      resent: [],
      skipped: [failed, sent],
    })
    expect((await list({ state: 'failed' }))[0]).toMatchObject({ resendUntil: null })
  })
})

describe('a test', () => {
  test('is sent to the administrator, with the response of the mail server', async () => {
    const result = await ada.call(api.sendTestMail, {})
    expect(result).toMatchObject({ isAccepted: true, response: expect.stringMatching(/^250 /) })
    const mail = await mailServer.waitForMailTo(result.recipient)
    expect(mail.subject).toBe('Test email from Stage Passport')
    expect(await list({ kind: 'test' })).toMatchObject([{ id: result.id, state: 'sent', response: result.response }])
    const { items } = await ada.call(listAuditEntries, { query: { action: 'mail.tested' } })
    expect(items[0]).toMatchObject({ target: { id: result.id }, after: { accepted: true, email: result.recipient } })
  })

  test('that is refused says why, and cannot be sent again', async () => {
    mailServer.rejectNext(1, 554)
    const { id, isAccepted, response } = await ada.call(api.sendTestMail, {})
    expect([isAccepted, response]).toEqual([false, expect.stringMatching(/554 Not now/)])
    expect(await list()).toMatchObject([{ id, state: 'failed', resendUntil: null }])
  })

  test('says that the mail server is away', async () => {
    const away = await startTestService(
      { SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}`, MAIL_FROM: 'id@stage.example' },
      { sharedWith: service },
    )
    const visitor = await away.as('max')
    expect(await visitor.call(api.sendTestMail, {})).toMatchObject({
      isAccepted: false,
      response: expect.stringMatching(/ECONNREFUSED/),
    })
  })

  test('needs a mail server and an address', async () => {
    const off = await startTestService({}, { sharedWith: service })
    const visitor = await off.as('max')
    const rejection = { status: 409, body: { code: 'mail-not-configured' } }
    await expect(visitor.call(api.sendTestMail, {})).rejects.toMatchObject(rejection)
    await expect(visitor.call(api.resendMails, { body: { ids: ['x'] } })).rejects.toMatchObject(rejection)
    expect(await visitor.call(api.getMailStatus, {})).toMatchObject({ from: null })
    await service.sql`update users set email = null, email_verified = false where id = ${visitor.id}`
    const online = await service.as('max')
    await expect(online.call(api.sendTestMail, {})).rejects.toMatchObject({ body: { code: 'own-email-missing' } })
  })
})

describe('a preview', () => {
  test.for(Object.keys(mailKinds) as MailKindId[])(
    'of %s has a text, and a document that does nothing',
    async (kind) => {
      const { examples, subject, text } = await ada.call(api.previewMail, { params: { kind }, query: {} })
      expect(text).toContain('Stage Passport')
      const example = encodeURIComponent(examples.at(-1) ?? '')
      const path = `/passport/admin/mail/kinds/${kind}/html?theme=dark&example=${example}`
      const response = await ada.fetch(path)
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; .*frame-ancestors 'self'; sandbox$/,
      )
      expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN')
      const html = await response.text()
      expect(html).toContain('<base target="_blank">')
      expect(subject.length).toBeGreaterThan(0)
    },
  )

  test('of an unknown example is rejected', async () => {
    for (const example of ['Other', 'toString'])
      await expect(ada.call(api.previewMail, { params: { kind: 'test' }, query: { example } })).rejects.toMatchObject({
        status: 400,
        body: { errors: [{ field: 'example' }] },
      })
  })
})
