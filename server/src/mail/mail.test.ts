import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import fc from 'fast-check'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createDelivery } from './deliver.ts'
import { renderMessage, toLine } from './message.ts'
import { sendMail } from './send.ts'

let mailServer: RunningMailServer
let service: TestService

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({ SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
})

const messageTo = (address: string, more: { subject?: string; name?: string } = {}) => ({
  to: { name: more.name ?? null, address },
  subject: more.subject ?? 'A subject',
  paragraphs: ['Hello & <welcome>,'],
  action: { label: 'Come in', url: 'https://id.example/app/join/secret-of-the-link?a=1&b=2' },
  smallPrint: 'If it is not for you, do nothing.',
})
const findMail = async (id: string) => {
  const [row] = await service.sql`
    select state, attempts, failure, sealed_content, due_at > now() as is_later from mails where id = ${id}`
  return row
}
const deliver = () => createDelivery(service.services)?.()
/** Ages an email by some hours, and makes it due. */
const makeDue = (id: string, hours: number) => service.sql`
  update mails set due_at = now(), created_at = created_at - make_interval(hours => ${hours}) where id = ${id}`
const waitForState = (id: string, state: string) => expect.poll(async () => (await findMail(id))?.['state']).toBe(state)

describe('an email', () => {
  test('is sent once the transaction commits, as text and as HTML, and its content is deleted', async () => {
    const message = messageTo('nora@harbour.example', { name: 'Nora “N” Lind', subject: 'Grüße, Nora' })
    const id = await transaction(service.sql, (sql) => sendMail(sql, service.services, message))
    const mail = await mailServer.waitForMailTo('nora@harbour.example')
    expect(mail).toMatchObject({
      from: { name: 'Stage Passport', address: 'id@stage.example' },
      to: [{ name: 'Nora “N” Lind', address: 'nora@harbour.example' }],
      recipients: ['nora@harbour.example'],
      subject: 'Grüße, Nora',
    })
    expect(mail.text).toContain('Hello & <welcome>,')
    expect(mail.text).toContain('Come in:\nhttps://id.example/app/join/secret-of-the-link?a=1&b=2')
    expect(mail.html).toContain('Hello &amp; &lt;welcome&gt;,')
    expect(mail.html).toContain('href="https://id.example/app/join/secret-of-the-link?a=1&amp;b=2"')
    expect(mail.headers).toContainEqual({ name: 'Auto-Submitted', value: 'auto-generated' })
    await waitForState(id, 'sent')
    expect(await findMail(id)).toMatchObject({ sealedContent: null })
  })

  test('of a failed transaction is not sent', async () => {
    const failing = transaction(service.sql, async (sql) => {
      await sendMail(sql, service.services, messageTo('nobody@harbour.example'))
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    const [row] = await service.sql`
      select count(*)::integer as mails from mails where recipient = 'nobody@harbour.example'`
    expect(row?.['mails']).toBe(0)
  })

  test('cannot be read in the queue', async () => {
    mailServer.rejectNext(1, 451)
    const id = await sendMail(service.sql, service.services, messageTo('queued@harbour.example'))
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    const [row] = await service.sql`select mails::text as whole from mails where id = ${id}`
    expect(row?.['whole']).not.toContain('secret-of-the-link')
    await makeDue(id, 0)
    await deliver()
    await waitForState(id, 'sent')
  })

  test('that is rejected is retried, with increasing delays, until it is sent', async () => {
    mailServer.rejectNext(2, 451)
    const id = await sendMail(service.sql, service.services, messageTo('patient@harbour.example'))
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

  test('that is rejected for a day is dropped, and its content is deleted', async () => {
    mailServer.rejectNext(2, 451)
    const id = await sendMail(service.sql, service.services, messageTo('late@harbour.example'))
    await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
    await makeDue(id, 25)
    // The delivery that follows the commit can be the one that takes it.
    await deliver()
    await waitForState(id, 'failed')
    expect(await findMail(id)).toMatchObject({
      state: 'failed',
      sealedContent: null,
      failure: expect.stringMatching(/Not now/),
    })
  })

  test('to an invalid address is rejected before it is queued', async () => {
    for (const address of ['nobody', 'a@b', 'a@b.example\r\nBcc: c@d.example', 'a b@c.example', '<a@b.example>'])
      await expect(sendMail(service.sql, service.services, messageTo(address)), address).rejects.toThrow()
  })

  test('has no header injected through its subject or the recipient’s name', async () => {
    const evil = 'Hi\r\nBcc: spy@evil.example\r\n\r\nBody'
    await sendMail(service.sql, service.services, messageTo('target@harbour.example', { subject: evil, name: evil }))
    const mail = await mailServer.waitForMailTo('target@harbour.example')
    expect(mail.recipients).toEqual(['target@harbour.example'])
    expect(mail.headers.map(({ name }) => name.toLowerCase())).not.toContain('bcc')
    expect(mail.subject).toBe('Hi Bcc: spy@evil.example Body')
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
    const message = messageTo(address, { subject: 'Ada invites Private Person' })
    const id = await sendMail(service.sql, { ...services, config }, message)
    expect(lines.join()).toContain(id)
    expect(lines.join()).not.toMatch(/private/i)
  })

  test('names no recipient when the mail server rejects it by name', async () => {
    const { lines, services } = withLog()
    mailServer.rejectNext(2, 451)
    const id = await sendMail(service.sql, services, messageTo(address))
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
  const id = await sendMail(service.sql, service.services, messageTo('waits@harbour.example'))
  await expect.poll(async () => (await findMail(id))?.['failure']).toMatch(/Not now/)
  await makeDue(id, 2)
  expect(await readAge()).toBeGreaterThanOrEqual(2 * 60 * 60)
  await deliver()
  await expect.poll(readAge).toBe(0)
})

test('`toLine` returns one line for any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(toLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    }),
  )
})

test('the HTML of an email has no injected markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>&"\'ab/ ') }), (text) => {
      const tags = (html: string) => html.match(/<\/?[a-z]+/g)
      const messageWith = (input: string) =>
        renderMessage(
          {
            ...messageTo('a@b.example'),
            paragraphs: [input],
            action: { label: input, url: input },
            smallPrint: `x${input}`,
          },
          { name: input },
        ).html
      expect(tags(messageWith(text))).toEqual(tags(messageWith('plain')))
    }),
  )
})

test('without a mail server no email is queued', async () => {
  const disabled = await startTestService()
  const id = await sendMail(disabled.sql, disabled.services, messageTo('off@harbour.example'))
  const [row] = await disabled.sql`select state, sealed_content from mails where id = ${id}`
  expect(row).toEqual({ state: 'off', sealedContent: null })
})
