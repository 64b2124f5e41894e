import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createDelivery } from './deliver.ts'
import { type MailContext, sendMail } from './send.ts'
import { readQueue, sweepContents } from './store.ts'

let mailServer: RunningMailServer
let service: TestService

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({ SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
})

/** Queues an invitation. */
const send = (address: string, more: { inviter?: string; name?: string; services?: MailContext; sql?: Sql } = {}) =>
  sendMail(
    more.sql ?? service.sql,
    more.services ?? service.services,
    { name: more.name ?? null, address },
    'invitation',
    {
      inviter: more.inviter ?? 'Ada & <Co>',
      orgName: null,
      email: address,
      path: '/app/join/secret-of-the-link?a=1&b=2',
      days: 14,
    },
  )
const findMail = async (id: string) => {
  const [row] = await service.sql`
    select state, attempts, failure, sealed_content, due_at > now() as is_later from mails where id = ${id}`
  return row
}
const deliver = () => createDelivery(service.services)?.()
/** Ages an email by some hours, and makes it due. */
const makeDue = (id: string, hours: number) => service.sql`
  update mails set due_at = now(), queued_at = queued_at - make_interval(hours => ${hours}) where id = ${id}`
const waitForState = (id: string, state: string) => expect.poll(async () => (await findMail(id))?.['state']).toBe(state)

describe('an email', () => {
  test('is sent once the transaction commits, as text and as HTML, and its content is deleted', async () => {
    const more = { name: 'Nora “N” Lind', inviter: 'Zoë & <Co>' }
    const id = await transaction(service.sql, (sql) => send('nora@harbour.example', { ...more, sql }))
    const mail = await mailServer.waitForMailTo('nora@harbour.example')
    expect(mail).toMatchObject({
      from: { name: 'Stage Passport', address: 'id@stage.example' },
      to: [{ name: 'Nora “N” Lind', address: 'nora@harbour.example' }],
      recipients: ['nora@harbour.example'],
      subject: 'Zoë & <Co> invites you to Stage Passport',
    })
    const { publicUrl } = service.services.config
    expect(mail.text).toContain('Hello Nora “N” Lind,\n\nZoë & <Co> invites you')
    expect(mail.text).toContain(`Accept the invitation:\n${publicUrl}/app/join/secret-of-the-link?a=1&b=2`)
    expect(mail.html).toContain('Zoë &amp; &lt;Co&gt; invites you')
    expect(mail.html).toContain(`href="${publicUrl}/app/join/secret-of-the-link?a=1&amp;b=2"`)
    expect(mail.headers).toContainEqual({ name: 'Auto-Submitted', value: 'auto-generated' })
    await waitForState(id, 'sent')
    expect(await findMail(id)).toMatchObject({ sealedContent: null })
  })

  test('of a failed transaction is not sent', async () => {
    const failing = transaction(service.sql, async (sql) => {
      await send('nobody@harbour.example', { sql })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    const [row] = await service.sql`
      select count(*)::integer as mails from mails where recipient = 'nobody@harbour.example'`
    expect(row?.['mails']).toBe(0)
  })

  test('cannot be read in the queue', async () => {
    mailServer.rejectNext(1, 451)
    const id = await send('queued@harbour.example')
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    const [row] = await service.sql`select mails::text as whole from mails where id = ${id}`
    expect(row?.['whole']).not.toContain('secret-of-the-link')
    await makeDue(id, 0)
    await deliver()
    await waitForState(id, 'sent')
  })

  test('that is rejected is retried, with increasing delays, until it is sent', async () => {
    mailServer.rejectNext(2, 451)
    const id = await send('patient@harbour.example')
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    expect(await findMail(id)).toMatchObject({ state: 'queued', attempts: 1, isLater: true })
    await makeDue(id, 1)
    await deliver()
    expect(await findMail(id)).toMatchObject({ state: 'queued', attempts: 2, isLater: true })
    await makeDue(id, 1)
    await deliver()
    expect(await findMail(id)).toMatchObject({ state: 'sent', attempts: 3 })
    expect(mailServer.listMails().filter(({ recipients }) => recipients[0] === 'patient@harbour.example')).toHaveLength(
      1,
    )
  })

  test('that is rejected for a day fails, and its content is kept until it is no longer true', async () => {
    mailServer.rejectNext(2, 451)
    const id = await send('late@harbour.example')
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    await makeDue(id, 25)
    // The delivery that follows the commit can be the one that takes it.
    await deliver()
    await waitForState(id, 'failed')
    expect(await findMail(id)).toMatchObject({
      state: 'failed',
      sealedContent: expect.any(String),
      failure: expect.stringMatching(/Not now/),
    })
    await sweepContents(service.sql, 10)
    expect(await findMail(id)).toMatchObject({ sealedContent: expect.any(String) })
    await service.sql`update mails set valid_until = now() where id = ${id}`
    await sweepContents(service.sql, 10)
    expect(await findMail(id)).toMatchObject({ state: 'failed', sealedContent: null })
  })

  test('that is no longer true is not sent', async () => {
    mailServer.rejectNext(1, 451)
    const id = await send('stale@harbour.example')
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    await service.sql`update mails set due_at = now(), valid_until = now() where id = ${id}`
    await deliver()
    await waitForState(id, 'failed')
    expect(await findMail(id)).toMatchObject({ failure: 'Its content is no longer valid.' })
    expect(mailServer.listMails().some(({ recipients }) => recipients[0] === 'stale@harbour.example')).toBe(false)
  })

  test('to an invalid address is rejected before it is queued', async () => {
    for (const address of ['nobody', 'a@b', 'a@b.example\r\nBcc: c@d.example', 'a b@c.example', '<a@b.example>'])
      await expect(send(address), address).rejects.toThrow()
  })

  test('has no header injected through its subject or the recipient’s name', async () => {
    const evil = 'Hi\r\nBcc: spy@evil.example\r\n\r\nBody'
    await send('target@harbour.example', { inviter: evil, name: evil })
    const mail = await mailServer.waitForMailTo('target@harbour.example')
    expect(mail.recipients).toEqual(['target@harbour.example'])
    expect(mail.headers.map(({ name }) => name.toLowerCase())).not.toContain('bcc')
    expect(mail.subject).toMatch(/^Hi Bcc: spy@evil\.\u2060?example Body invites you/)
    expect(mail.to[0]?.address).toBe('target@harbour.example')
  })
})

describe('the log', () => {
  const address = 'Private.Person@harbour.example'

  function withLog() {
    const lines: string[] = []
    const log = pino({ base: null }, { write: (line) => void lines.push(line) })
    return { lines, services: { ...service.services, log } }
  }

  test('names no recipient without a mail server', async () => {
    const { lines, services } = withLog()
    const config = { ...services.config, mail: undefined }
    const id = await send(address, { services: { ...services, config }, name: 'Private Person' })
    expect(lines.join()).toContain(id)
    expect(lines.join()).not.toMatch(/private/i)
  })

  test('names no recipient when the mail server rejects it by name', async () => {
    const { lines, services } = withLog()
    mailServer.rejectNext(2, 451)
    const id = await send(address, { services })
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    await makeDue(id, 1)
    await createDelivery(services)?.()
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ msg: 'mail-not-sent', mail: id, responseCode: 451 })
    expect(lines.join()).toContain('{address}')
    expect(lines.join()).not.toMatch(/private/i)
    await makeDue(id, 1)
    await deliver()
    await waitForState(id, 'sent')
  })
})

test('the metrics report how long the oldest email has waited', async () => {
  const readAge = async () => {
    const { text } = await service.services.metrics.read()
    return Number(/^passport_mail_oldest_seconds (\S+)$/m.exec(text)?.[1])
  }
  await expect.poll(readAge).toBe(0)
  mailServer.rejectNext(1, 451)
  const id = await send('waits@harbour.example')
  await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
  await makeDue(id, 2)
  expect(await readAge()).toBeGreaterThanOrEqual(2 * 60 * 60)
  await deliver()
  await expect.poll(readAge).toBe(0)
})

test('without a mail server no email is queued', async () => {
  const disabled = await startTestService()
  const id = await send('off@harbour.example', { sql: disabled.sql, services: disabled.services })
  const [row] = await disabled.sql`select state, sealed_content from mails where id = ${id}`
  expect(row).toEqual({ state: 'off', sealedContent: null })
})

describe('the emails of one kind to one recipient', () => {
  const change = (label: string, recipient: string, kind: 'login-linked' | 'login-unlinked' = 'login-unlinked') =>
    sendMail(service.sql, service.services, { name: null, address: recipient }, kind, {
      origin: null,
      isByAdministrator: true,
      at: '2026-11-27T20:14:00Z',
      providerName: 'Harbour',
      label,
    } as never)
  const listMails = (recipient: string) =>
    mailServer.listMails().filter(({ recipients }) => recipients[0] === recipient)

  test('are three a day at most, and one that stands for the others a day later', async () => {
    const recipient = 'loop@harbour.example'
    for (let number = 1; number <= 12; number++) await change(`login-${number}`, recipient)
    await deliver()
    await expect.poll(() => listMails(recipient).length).toBe(3)
    await change('other kind', recipient, 'login-linked')
    await expect.poll(() => listMails(recipient).length).toBe(4)
    expect(await readQueue(service.sql)).toMatchObject({ oldestSeconds: 0 })
    await service.sql`
      update mails set due_at = now(), queued_at = now(), created_at = created_at - interval '1 day'
      where recipient = ${recipient}`
    await deliver()
    await expect.poll(() => listMails(recipient).length).toBe(5)
    const note = 'This email stands for 9 of its kind within a day, and describes the latest.'
    const noted = listMails(recipient).filter(({ text }) => text.includes('This email stands for'))
    expect(noted).toHaveLength(1)
    for (const body of [noted[0]?.text, noted[0]?.html]) {
      expect(body).toContain(note)
      expect(body).toContain('login-12')
    }
    await change('login-13', recipient)
    await expect.poll(() => listMails(recipient).length).toBe(6)
  })

  test('are held back without waiting for each other', async () => {
    const recipient = 'parallel@harbour.example'
    await Promise.all(Array.from({ length: 12 }, (_, number) => change(`login-${number}`, recipient)))
    const [held] = await service.sql`select held_count, count(*) over ()::integer as rows from mails
      where recipient = ${recipient} and held_count > 0`
    expect(held).toMatchObject({ rows: 1 })
  })
})
