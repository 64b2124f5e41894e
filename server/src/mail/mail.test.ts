import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { atTheEnd } from '../test-endings.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createDelivery } from './deliver.ts'
import { contentOf, lineOf } from './letter.ts'
import { sendMail } from './send.ts'

let world: RunningMailServer
let service: TestService

beforeAll(async () => {
  world = await startMailServer()
  atTheEnd(world.stop)
  service = await startTestService({ SMTP_URL: world.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
})

const letterTo = (address: string, more: { subject?: string; name?: string } = {}) => ({
  to: { name: more.name ?? null, address },
  subject: more.subject ?? 'A subject',
  paragraphs: ['Hello & <welcome>,'],
  action: { label: 'Come in', url: 'https://id.example/app/join/secret-of-the-link?a=1&b=2' },
  smallPrint: 'If it is not for you, do nothing.',
})
const mailOf = async (id: string) => {
  const [row] = await service.sql`
    select state, attempts, told, sealed_content, due_at > now() as is_later from mails where id = ${id}`
  return row
}
const deliver = () => createDelivery(service.services)?.()
/** As if so much time had passed since it was written. */
const later = (id: string, hours: number) => service.sql`
  update mails set due_at = now(), created_at = created_at - make_interval(hours => ${hours}) where id = ${id}`
const isEnded = (id: string, state: string) => expect.poll(async () => (await mailOf(id))?.['state']).toBe(state)

describe('a mail', () => {
  test('goes out by itself once the transaction is done, as text and as HTML, and its content is forgotten', async () => {
    const letter = letterTo('nora@harbour.example', { name: 'Nora “N” Lind', subject: 'Grüße, Nora' })
    const id = await transaction(service.sql, (sql) => sendMail(sql, service.services, letter))
    const mail = await world.firstTo('nora@harbour.example')
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
    await isEnded(id, 'sent')
    expect(await mailOf(id)).toMatchObject({ sealedContent: null })
  })

  test('of a transaction that fails is none', async () => {
    const failing = transaction(service.sql, async (sql) => {
      await sendMail(sql, service.services, letterTo('nobody@harbour.example'))
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    const [row] = await service.sql`
      select count(*)::integer as mails from mails where recipient = 'nobody@harbour.example'`
    expect(row?.['mails']).toBe(0)
  })

  test('is not to be read in the queue', async () => {
    world.refuse(1, 451)
    const id = await sendMail(service.sql, service.services, letterTo('queued@harbour.example'))
    await expect.poll(async () => (await mailOf(id))?.['told']).toMatch(/Not now/)
    const [row] = await service.sql`select mails::text as whole from mails where id = ${id}`
    expect(row?.['whole']).not.toContain('secret-of-the-link')
    await later(id, 0)
    await deliver()
  })

  test('that is not taken is tried again, later each time, and then goes', async () => {
    world.refuse(2, 451)
    const id = await sendMail(service.sql, service.services, letterTo('patient@harbour.example'))
    await expect.poll(async () => (await mailOf(id))?.['told']).toMatch(/Not now/)
    expect(await mailOf(id)).toMatchObject({ state: 'queued', attempts: 1, isLater: true })
    await later(id, 1)
    await deliver()
    expect(await mailOf(id)).toMatchObject({ state: 'queued', attempts: 2, isLater: true })
    await later(id, 1)
    await deliver()
    expect(await mailOf(id)).toMatchObject({ state: 'sent', attempts: 3 })
    expect(world.mails().filter(({ recipients }) => recipients[0] === 'patient@harbour.example')).toHaveLength(1)
  })

  test('that is not taken for a day is given up, and what it said is forgotten', async () => {
    world.refuse(2, 451)
    const id = await sendMail(service.sql, service.services, letterTo('late@harbour.example'))
    await expect.poll(async () => (await mailOf(id))?.['told']).toMatch(/Not now/)
    await later(id, 25)
    await deliver()
    expect(await mailOf(id)).toMatchObject({
      state: 'failed',
      sealedContent: null,
      told: expect.stringMatching(/Not now/),
    })
  })

  test('to what is no address is refused before it is written', async () => {
    for (const address of ['nobody', 'a@b', 'a@b.example\r\nBcc: c@d.example', 'a b@c.example', '<a@b.example>'])
      await expect(sendMail(service.sql, service.services, letterTo(address)), address).rejects.toThrow()
  })

  test('has no header that its subject or the name of its reader put there', async () => {
    const evil = 'Hi\r\nBcc: spy@evil.example\r\n\r\nBody'
    await sendMail(service.sql, service.services, letterTo('target@harbour.example', { subject: evil, name: evil }))
    const mail = await world.firstTo('target@harbour.example')
    expect(mail.recipients).toEqual(['target@harbour.example'])
    expect(mail.headers.map(({ name }) => name.toLowerCase())).not.toContain('bcc')
    expect(mail.subject).toBe('Hi Bcc: spy@evil.example Body')
  })
})

test('a line is one line, whatever it is made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(lineOf(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    }),
  )
})

test('the HTML of a letter has no markup but its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>&"\'ab/ ') }), (text) => {
      const tags = (html: string) => html.match(/<\/?[a-z]+/g)
      const letterOf = (what: string) =>
        contentOf(
          {
            ...letterTo('a@b.example'),
            paragraphs: [what],
            action: { label: what, url: what },
            smallPrint: `x${what}`,
          },
          what,
        ).html
      expect(tags(letterOf(text))).toEqual(tags(letterOf('plain')))
    }),
  )
})

test('without a mail server nothing is queued to go', async () => {
  const without = await startTestService()
  const id = await sendMail(without.sql, without.services, letterTo('off@harbour.example'))
  const [row] = await without.sql`select state, sealed_content from mails where id = ${id}`
  expect(row).toEqual({ state: 'off', sealedContent: null })
})
