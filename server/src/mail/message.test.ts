import { type MailKindId, mailKinds } from '@passport/contract/mail-kinds'
import fc from 'fast-check'
import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import type { MailKind } from './kind.ts'
import { kinds } from './kinds.ts'
import { type Message, toLine, toName } from './message.ts'
import { renderHtml } from './message-html.ts'
import { renderMessage } from './render-message.ts'

const publicUrl = 'https://id.example'

/** A message whose every value is the input. */
const messageOf = (input: string): Message => ({
  recipientName: input,
  subject: input,
  paragraphs: [input, input],
  facts: [['Device', input]],
  code: '123456',
  advice: [input],
  action: { label: input, url: `https://id.example/${encodeURIComponent(input)}` },
  furtherAction: { label: input, url: input },
  smallPrint: input,
  brand: { name: input, logo: { url: 'cid:logo@passport', width: 200, height: 40 } },
  publicUrl,
})
const anyText = fc.string({ unit: 'binary', maxLength: 300 })
const markup = fc.string({ unit: fc.constantFrom(...'<>&"\'=/ab `', 'onload', 'style', '</style>', '<!--', ']]>') })

describe('an email', () => {
  test('has no markup from its values', () => {
    const outline = (html: string) => html.match(/<\/?[a-z][\w-]*|<!|\s[a-z-]+="/gi)
    const expected = outline(renderMessage(messageOf('plain')).html)
    fc.assert(
      fc.property(markup, (text) => {
        // The last letter keeps a text such as ` onload=` from the quote that ends its attribute.
        expect(outline(renderMessage(messageOf(`a${text}a`)).html)).toEqual(expected)
      }),
    )
  })

  test('has no line from its values in its text', () => {
    const count = (text: string) => text.split(/[\r\n\u2028\u2029]/).length
    const messageWith = (input: string): Message => {
      const link = { label: 'Open', url: publicUrl }
      return { ...messageOf(input), action: link, furtherAction: link }
    }
    const expected = count(renderMessage(messageWith('a')).text)
    fc.assert(
      fc.property(anyText, (text) => {
        expect(count(renderMessage(messageWith(`a${text}`)).text)).toBe(expected)
      }),
    )
  })

  test('has no header from its subject or a name', async () => {
    const transport = createTransport({ streamTransport: true, buffer: true })
    const listHeaders = async (subject: string, name: string) => {
      const to = { name: toLine(name), address: 'a@b.example' }
      const { message } = await transport.sendMail({
        from: 'id@stage.example',
        to,
        subject: toLine(subject),
        text: 'x',
      })
      const [head = ''] = String(message).split('\r\n\r\n')
      return [...head.matchAll(/^([\w-]+):/gm)].map(([, header]) => header).sort()
    }
    const expected = await listHeaders('a', 'a')
    const hostile = fc.oneof(
      anyText,
      fc.string({ unit: fc.constantFrom('\r', '\n', 'Bcc: a@c.example', ' ', '\u2028') }),
    )
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (subject, name) => {
        expect(await listHeaders(`a${subject}`, `a${name}`)).toEqual(expected)
      }),
    )
  })

  test('loads nothing and runs nothing', () => {
    const { html } = renderMessage(messageOf('plain'))
    expect(html).not.toMatch(/<(?:script|link|iframe|form|svg)|url\(|@import|javascript:/i)
    expect([...html.matchAll(/src="([^"]*)"/g)].map(([, url]) => url)).toEqual(['cid:logo@passport'])
  })

  test('has the colours of its brand and of each theme', () => {
    const brand = { name: 'Orchard', accent: { light: '#7a1f5c', dark: '#f2a6d6' } }
    const message = { ...messageOf('plain'), brand, greeting: 'Hello,' }
    const render = (theme: 'reader' | 'light' | 'dark') => renderHtml(message, theme)
    expect(render('reader')).toMatch(/@media \(prefers-color-scheme:dark\)\{.*background:#f2a6d6!important/)
    expect(render('light')).not.toContain('#f2a6d6')
    expect(render('dark')).not.toContain('prefers-color-scheme')
    for (const theme of ['reader', 'light', 'dark'] as const) expect(render(theme)).toContain('background:#7a1f5c')
  })
})

test('`toLine` returns one line of at most 200 characters for any input', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(toLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u)
      expect([...toLine(text)].length).toBeLessThanOrEqual(200)
    }),
  )
})

test('`toName` leaves no domain or address that a mail program makes a link of', () => {
  expect(toName('Nora Lind')).toBe('Nora Lind')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '1', '.', 'ü', '://', '/', '-', ' ') }), (text) => {
      expect(toName(text)).not.toMatch(/[\p{L}\p{N}]\.[\p{L}\p{N}]|:\/\//u)
      expect(toName(text).replaceAll('\u2060', '')).toBe(text.trim())
    }),
  )
})

const cases = (Object.keys(mailKinds) as MailKindId[]).flatMap((id) =>
  Object.entries((kinds[id] as MailKind<unknown>).examples).map(([name, data]) => ({ id, name, data })),
)

test.for(cases)('the kind $id ($name) is written in sentences', ({ id, data }) => {
  const content = (kinds[id] as MailKind<unknown>).write(data, { brandName: 'Stage Passport', publicUrl })
  expect(content.subject).toMatch(/^[\p{Lu}\d].{10,80}[^.]$/u)
  for (const text of [...content.paragraphs, ...(content.advice ?? []), content.smallPrint ?? 'x.'])
    expect(text).toMatch(/^[\p{L}\d].*(?:[.:]|\/app\/[\w/]+)$/u)
  expect(JSON.stringify(content)).not.toMatch(/undefined|null|NaN|Invalid/)
  if (content.action) expect(new URL(content.action.url).origin).toBe(publicUrl)
})
