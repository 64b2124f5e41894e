import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

// Structural rules of the migrations: they show the tables as they are, and change none (docs/decisions/0113).

const folder = new URL('../../migrations/', import.meta.url)
const files = readdirSync(folder).sort()

/** The only statements that change what an earlier one created. */
const exceptions = [
  // `create table` has the storage of a column only from PostgreSQL 16 on.
  'alter table avatar_files alter column content set storage external, alter column small set storage external;',
]

/**
 * The parts of a file, in their order. Functions and views share one: functions come first, but for those that read a view.
 * The statement `do` creates the functions, triggers and the view of relationships from one text.
 */
const parts = [
  /^create table |^create (?:unique )?index |^insert into /,
  /^create (?:function|view) |^do \$do\$$/,
  /^create (?:constraint )?trigger /,
]

/** Returns the first lines of the statements of a file; the other lines of a statement are indented, or end a block. */
const readStatements = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^[a-z]/.test(line) && !/^(?:begin|declare|exception|end|language|with)\b/.test(line))

test('the statements of a file are read', () => {
  const text =
    '-- A row.\ncreate table a (\n  id int\n)\nwith (fillfactor = 85);\ncreate function f() returns int\n  language sql\nbegin atomic\n  select 1;\nend;\ndrop table a;'
  expect(readStatements(text)).toEqual(['create table a (', 'create function f() returns int', 'drop table a;'])
})

describe.for(files)('%s', (file) => {
  const statements = readStatements(readFileSync(new URL(file, folder), 'utf8')).filter(
    (line) => !exceptions.includes(line),
  )

  test('has the next number and the name of its feature', () => {
    const [, number = '', name = ''] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? []
    expect(Number(number)).toBe(files.indexOf(file) + 1)
    const feature = name.replaceAll('_', '-')
    expect(feature === 'views' || existsSync(new URL(`../${feature}`, import.meta.url))).toBe(true)
  })

  test('only creates', () => {
    expect(statements.filter((line) => !parts.some((part) => part.test(line)))).toEqual([])
  })

  test('has tables first, then functions and views, then triggers', () => {
    // The first row of `relationship_head` has the result of a function.
    const ordered = statements.filter((line) => !line.startsWith('insert into relationship_head '))
    const order = ordered.map((line) => parts.findIndex((part) => part.test(line)))
    expect(order).toEqual(order.toSorted())
  })
})

test('no two files create the same thing', () => {
  const created = files.flatMap((file) =>
    readStatements(readFileSync(new URL(file, folder), 'utf8')).flatMap(
      (line) => /^create (?:unique )?(?:table|view|function|index) \w+/.exec(line) ?? [],
    ),
  )
  expect(created.length).toBeGreaterThan(300)
  expect(created.filter((name, index) => created.indexOf(name) !== index)).toEqual([])
})
