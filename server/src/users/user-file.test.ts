import { formatCsvLine } from '@passport/contract/csv'
import { Email } from '@passport/contract/email'
import { exportColumns } from '@passport/contract/user-imports'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { InvalidUserFile } from './file-layout.ts'
import { openUserFile } from './user-file.ts'

async function read(content: string | Uint8Array) {
  const { rows, ...file } = await openUserFile(typeof content === 'string' ? Buffer.from(content) : content)
  return { ...file, rows: [...rows] }
}

const soren = { username: 'soren', displayName: 'Søren Ærø', email: 'soren@tide.example' }
const text = 'username,displayName,email\r\nsoren,Søren Ærø,soren@tide.example\r\n'
const toBigEndian = (bytes: Buffer) => Buffer.from(bytes).swap16()

describe('the encoding of a file', () => {
  test.for<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8', Buffer.from(`\ufeff${text}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16', toBigEndian(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['windows-1252', Buffer.from(text, 'latin1')],
  ])('is found: %s', async ([encoding, bytes]) => {
    const file = await read(bytes)
    expect(file.encoding).toBe(encoding)
    expect(file.rows).toMatchObject([{ line: 2, user: soren, errors: [] }])
  })

  test('windows-1252 has the characters of Windows, not those of Latin 1', async () => {
    const bytes = Buffer.concat([
      Buffer.from('name\nO'),
      Buffer.from([0x92]),
      Buffer.from('Hara '),
      Buffer.from([0x80]),
    ])
    expect((await read(bytes)).rows[0]?.user.displayName).toBe('O’Hara €')
  })

  test.for<[string, Uint8Array]>([
    ['NUL characters', Buffer.from('username\na\0da\n')],
    ['NUL characters', Buffer.from(text, 'utf16le')],
    ['is damaged', Buffer.concat([Buffer.from('\ufeffname\n'), Buffer.from([0xf8])])],
    ['is damaged', Buffer.concat([Buffer.from('\ufeffname\n', 'utf16le'), Buffer.from([0x00, 0xd8])])],
    ['encoding of the file is unknown', Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0x83, 0x81, 0x83])],
    ['a workbook', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00])],
  ])('of a file with %s is refused', async ([reason, bytes]) => {
    await expect(read(bytes)).rejects.toThrow(reason)
    await expect(read(bytes)).rejects.toThrow(InvalidUserFile)
  })

  test('that a program has got wrong before is an error of each damaged row', async () => {
    const { rows } = await read('username,displayname\nsoren,S\ufffdren\nana,Ana\n')
    expect(rows[0]?.errors).toEqual([
      { column: 'displayname', header: 'displayname', code: 'replacement-character', value: 'S\ufffdren' },
    ])
    expect(rows[1]?.errors).toEqual([])
  })
})

describe('the layout of a file', () => {
  test.for<[string, string, number]>([
    [',', text, 2],
    [';', text.replaceAll(',', ';'), 2],
    ['\t', text.replaceAll(',', '\t'), 2],
    [';', `sep=;\r\n${text.replaceAll(',', ';')}`, 3],
    ['|', `"sep=|"\n${text.replaceAll(',', '|')}`, 3],
    ['\t', `sep=\t\r\n\r\n${text.replaceAll(',', '\t')}`, 4],
    [',', `version:v1.0,,\r\n${text}`, 3],
  ])('is found: separated by %j', async ([separator, content, line]) => {
    const file = await read(content)
    expect(file.separator).toBe(separator)
    expect(file.rows).toMatchObject([{ line, user: soren }])
  })

  test.for([
    ['', 'The file is empty.'],
    ['\r\n\n', 'The file is empty.'],
    ['sep=;\n', 'The file is empty.'],
    ['username|email\na|b', 'No column of line 1 is known, by commas, semicolons or tabs: “username|email”.'],
    ['sep=;\nshoe;size\n', 'No column of line 2 is known'],
    ['username,User Name\na,b', 'The column User Name is listed twice.'],
    ['"username', 'The quotation mark that opens a cell in line 1 is never closed.'],
  ])('%j is refused', async ([content = '', message]) => {
    await expect(read(content)).rejects.toThrow(message)
  })

  test('has a cell of each row for each column; empty ones at the end may be missing or more', async () => {
    const { rows } = await read('username,displayname,email,disabled,,\nsrr,Sr,sr@tide.example\nana,,,,,,\nbob,,,,x\n')
    expect(rows.map(({ line, errors }) => [line, errors.map(({ code }) => code)])).toEqual([
      [2, ['cells-missing']],
      [3, []],
      [4, ['cells-extra']],
    ])
  })
})

const kari = { displayName: 'Kari Vik', email: 'kari@tide.example', username: null, isDisabled: false }

describe('the file of', () => {
  test.for<[string, string, object[], string[]]>([
    [
      'Entra ID, downloaded',
      'userPrincipalName,displayName,surname,mail,givenName,objectId,userType,accountEnabled\r\nkari@tide.example,Kari Vik,Vik,,Kari,6f2b,Member,True\r\nguest_x#EXT#@tide.example,Guest,,kari@quay.example,,6f2c,Guest,False',
      [kari, { displayName: 'Guest', email: 'kari@quay.example', username: null, isDisabled: true }],
      ['objectId', 'userType'],
    ],
    [
      'Entra ID for bulk creation',
      'version:v1.0,,,,,\r\nName [displayName] Required,User name [userPrincipalName] Required,Initial password [passwordProfile] Required,Block sign in (Yes/No) [accountEnabled] Required,First name [givenName],Last name [surname]\r\nKari Vik,kari@tide.example,Xq7!aaaaaa,No,Kari,Vik\r\nIda,ida@tide.example,x,Yes,,',
      [kari, { displayName: 'Ida', email: 'ida@tide.example', username: null, isDisabled: true }],
      ['Initial password [passwordProfile] Required'],
    ],
    [
      'Entra ID for bulk creation, in German',
      'Name [displayName] Erforderlich,Benutzername [userPrincipalName] Erforderlich,Anmeldung blockieren (Ja/Nein) [accountEnabled] Erforderlich\r\nKari Vik,kari@tide.example,No',
      [kari],
      [],
    ],
    [
      'Google',
      'First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Password Hash Function [UPLOAD ONLY],Org Unit Path [Required],Recovery Email,Status [READ ONLY]\nKari,Vik,kari@tide.example,****,,/Crew,,Active\nJo,Ek,jo@tide.example,****,,/Crew,,Suspended',
      [kari, { displayName: 'Jo Ek', email: 'jo@tide.example', username: null, isDisabled: true }],
      ['Password [Required]', 'Password Hash Function [UPLOAD ONLY]', 'Org Unit Path [Required]', 'Recovery Email'],
    ],
    [
      'Okta',
      'login,firstName,lastName,middleName,email,title,displayName,secondEmail\nkari@tide.example,Kari,Vik,,,,,\nlena,Lena,Holm,,lena@tide.example,,Lena H,',
      [kari, { displayName: 'Lena H', email: 'lena@tide.example', username: 'lena', isDisabled: false }],
      ['middleName', 'title', 'secondEmail'],
    ],
    [
      'Auth0',
      '"Id","Given Name","Family Name","Nickname","Name","Email","Email Verified","Connection"\n"auth0|5f0c","Kari","Vik","kari","Kari Vik","kari@tide.example","true","DB"',
      [{ ...kari, emailVerified: true }],
      ['Id', 'Nickname', 'Connection'],
    ],
    [
      'Cognito',
      'name,given_name,family_name,preferred_username,email,email_verified,cognito:mfa_enabled,cognito:username\nKari Vik,,,,kari@tide.example,TRUE,FALSE,kariv\n,Ida,Nord,ida.n,ida@tide.example,FALSE,FALSE,9b1d',
      [
        { ...kari, username: 'kariv', emailVerified: true },
        { displayName: 'Ida Nord', username: 'ida.n', email: 'ida@tide.example', emailVerified: false },
      ],
      ['cognito:mfa_enabled'],
    ],
    [
      'Firebase, which has no header',
      `Zk3A,kari@tide.example,true,hash==,salt==,Kari Vik${','.repeat(18)}1700000000000,1700000000000,,\nZk3B,otto@tide.example,false,,,Otto,,1046,otto@tide.example,Otto${','.repeat(14)}1700000000000,1700000000000,,`,
      [
        { ...kari, emailVerified: true },
        { displayName: 'Otto', email: 'otto@tide.example', emailVerified: false },
      ],
      [],
    ],
    [
      'Moodle',
      'username,password,firstname,lastname,email,course1,role1\nkariv,Aa1!aaaa,Kari,Vik,kari@tide.example,math,student',
      [{ ...kari, username: 'kariv', roles: [] }],
      ['password', 'course1', 'role1'],
    ],
  ])('%s is read', async ([, content, users, ignored]) => {
    const { rows, columns } = await read(content)
    expect(rows.flatMap(({ errors }) => errors)).toEqual([])
    expect(rows.map(({ user }) => user)).toMatchObject(users)
    if (ignored.length > 0) expect(columns.filter((each) => each.ignored).map(({ name }) => name)).toEqual(ignored)
  })
})

test('columns that are not read are ignored for a reason', async () => {
  const { columns } = await read('email,groups,Password,Shoe size,,x\na@tide.example,A,b,c,,\n')
  expect(columns).toEqual([
    { name: 'email', column: 'email', ignored: null },
    { name: 'groups', column: null, ignored: 'other-import' },
    { name: 'Password', column: null, ignored: 'password' },
    { name: 'Shoe size', column: null, ignored: 'unknown' },
    { name: 'x', column: null, ignored: 'unknown' },
  ])
})

test('a row has all its errors, with the column of the file and the text', async () => {
  const { rows } = await read(
    'User name,mail,email verified,enabled,Last name\n\na b,nobody,maybe,perhaps,"two\nlines"\n',
  )
  expect(rows).toMatchObject([
    {
      line: 3,
      user: { username: null, email: null },
      errors: [
        { column: 'username', header: 'User name', code: 'username-invalid', value: 'a b' },
        { column: 'displayname', header: 'Last name', code: 'displayname-invalid', value: 'two\nlines' },
        { column: 'email', header: 'mail', code: 'email-invalid', value: 'nobody' },
        { column: 'emailVerified', header: 'email verified', code: 'true-or-false', value: 'maybe' },
        { column: 'enabled', header: 'enabled', code: 'true-or-false', value: 'perhaps' },
      ],
    },
  ])
})

test('a row has at most 100 roles, and errors show the beginning of a text', async () => {
  const roles = Array.from({ length: 101 }, (_, index) => `Role${index}`).join(' ')
  const { rows } = await read(`username,roles,email\nana,${roles},\nbob,,${'x'.repeat(1000)}\n`)
  expect(rows[0]).toMatchObject({ user: { roles: [] }, errors: [{ column: 'roles', code: 'too-many-roles' }] })
  expect(rows.map(({ errors }) => errors[0]?.value?.length)).toEqual([200, 200])
})

test('a user of an export is read as the same user, whatever the texts', async () => {
  const valid = (schema: z.ZodMiniType<string>, texts: fc.Arbitrary<string>) =>
    texts.map((text) => z.safeParse(schema, text).data).filter((text) => text !== undefined)
  const piece = fc.constantFrom(...`'"=＝＠@+-,;|.: aé日🦊`)
  const displayName = valid(DisplayName, fc.oneof(fc.string({ unit: piece }), fc.string({ unit: 'grapheme' })))
  const user = fc.record({
    username: fc.option(valid(Username, fc.stringMatching(/^[a-z0-9][a-z0-9._-]{1,6}[a-z0-9]$/))),
    displayName: fc.option(displayName),
    email: fc.option(valid(Email, fc.emailAddress())),
    isDisabled: fc.boolean(),
    roles: fc.uniqueArray(fc.constantFrom('Desk.Agent', 'Wiki.Reader')),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(user, { minLength: 1, maxLength: 4 }), async (users) => {
      const lines = users.map((user) => {
        const cells: Record<string, string | null> = {
          username: user.username,
          displayname: user.displayName,
          email: user.email,
          emailVerified: 'false',
          disabled: String(user.isDisabled),
          roles: user.roles.join(' '),
        }
        return formatCsvLine(exportColumns.map((column) => cells[column] ?? ''))
      })
      const { rows } = await read(formatCsvLine([...exportColumns]) + lines.join(''))
      expect(rows.map(({ user: { emailVerified: _, ...user } }) => user)).toEqual(users)
    }),
  )
})

test('any bytes are read or refused', async () => {
  const unit = fc.constantFrom('username', 'email', ',', ';', '"', '\n', '\r', '\t', 'sep=', '\0', 'é', '=', "'")
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit, maxLength: 30 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc.string({ unit, maxLength: 30 }).map((text) => new Uint8Array(Buffer.from(`\ufeffemail\n${text}`, 'utf16le'))),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      await read(content).catch((error) => expect(error).toBeInstanceOf(InvalidUserFile))
    }),
    { numRuns: 500 },
  )
})

test('a long header costs no more than its size', async () => {
  const before = process.threadCpuUsage()
  const { columns } = await openUserFile(Buffer.from(`a${'\u0301\u0323'.repeat(30_000)},username\nx,ana\n`))
  expect(columns.map(({ column }) => column)).toEqual([null, 'username'])
  // It took 15 s.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(300)
})
