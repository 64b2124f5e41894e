import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SchemaCard } from './SchemaCard.tsx'
import { useSchema } from './schema.ts'
import { network, refusal, schema, showAt } from './test-room.tsx'

beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
})
const scrolled: Element[] = []
beforeEach(() => {
  scrolled.length = 0
  Element.prototype.scrollIntoView = function (this: Element) {
    scrolled.push(this)
  }
})
afterEach(() => vi.unstubAllGlobals())

function Card() {
  const { data } = useSchema()
  return data ? <SchemaCard schema={data} /> : null
}
const area = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Schema' })
const review = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Review changes' })
const removal = {
  kind: 'subject-removed',
  name: 'document#viewer',
  before: 'user',
  affects: ['document#view'],
  blocking: 3,
}
const harmless = {
  kind: 'permission-changed',
  name: 'document#view',
  before: 'a',
  after: 'b',
  affects: Array.from({ length: 52 }, (_, at) => `document#view_${at}`),
  isCut: true,
  blocking: 0,
}

/** The editor with something changed in it, and what was sent. */
async function edited(answers: Parameters<typeof network>[0]) {
  const sent = network({ 'GET schema': () => schema, ...answers })
  showAt('/', () => <Card />)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  await userEvent.type(await area(), '// more')
  return sent
}

test('where operators meet, their reading is told', async () => {
  const text = schema.text.replace('viewer - banned', 'viewer - banned + viewer')
  network({ 'GET schema': () => ({ ...schema, text }) })
  showAt('/', () => <Card />)
  expect((await screen.findByRole('region', { name: 'Text of the schema' })).textContent).toContain(
    'read as viewer - (banned + viewer)',
  )
})

describe('the editor', () => {
  test('has the focus when it opens, and gives it back when it closes', async () => {
    network({ 'GET schema': () => schema })
    showAt('/', () => <Card />)
    await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
    const text = await area()
    await waitFor(() => expect(document.activeElement).toBe(text))
    expect(text.selectionStart).toBe(0)
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit' })))
  })

  test('tells a fault with its place while it is typed, and goes there', async () => {
    await edited({})
    await userEvent.clear(await area())
    await userEvent.type(await area(), 'definition user {{}\ndefinitio x')
    expect(await screen.findByText(/Expected `definition`/)).toBeDefined()
    expect(review().disabled).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Line 2, column 1' }))
    expect(document.activeElement).toBe(await area())
    const { selectionStart, selectionEnd } = await area()
    expect([selectionStart, selectionEnd]).toEqual(Array(2).fill('definition user {}\n'.length))
    expect(scrolled.map(({ textContent }) => textContent)).toEqual(['definitio'])
  })

  test('tells a fault above the text, and marks its line', async () => {
    await edited({})
    await userEvent.clear(await area())
    await userEvent.type(await area(), 'definition user {{}\ndefinitio x\n// the end')
    const told = await screen.findByText(/Expected `definition`/)
    expect(told.compareDocumentPosition(await area()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    const lines = [...((await area()).previousElementSibling?.children ?? [])]
    const marked = lines.filter(({ className }) => className.includes('--bad'))
    expect(marked.map(({ textContent }) => textContent)).toEqual(['definitio x\n'])
  })

  test('shows what a change does, and does not save what relationships stand on', async () => {
    await edited({ 'POST schema/diff': () => ({ differences: [removal] }) })
    await userEvent.click(review())
    expect((await screen.findByText(/3 relationships stand/)).textContent).toContain('in its way')
    expect(screen.getByText('document#view')).toBeDefined()
    // The draft stays open beside what stands in its way.
    expect(screen.getByRole('link', { name: 'Show them in a new tab' }).getAttribute('target')).toBe('_blank')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save the schema' }).disabled).toBe(true)
  })

  test('saves against the version that was read', async () => {
    const sent = await edited({
      'POST schema/diff': () => ({ differences: [harmless] }),
      'PUT schema': () => ({ writtenAt: 'r3', differences: [] }),
    })
    await userEvent.click(review())
    await screen.findByText('document#view')
    expect(screen.getByText(/and 2 more, not all of which are told/)).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Save the schema' }))
    await waitFor(() =>
      expect(sent.find(({ call }) => call === 'PUT schema')).toMatchObject({
        ifMatch: '"v1"',
        body: { text: `${schema.text}// more` },
      }),
    )
    expect(await screen.findByRole('button', { name: 'Edit' })).toBeDefined()
  })

  test('says where somebody else was faster, and compares anew', async () => {
    const sent = await edited({
      'POST schema/diff': () => ({ differences: [harmless] }),
      'PUT schema': () => refusal(412, 'precondition-failed', 'It was changed meanwhile.'),
    })
    await userEvent.click(review())
    await screen.findByText('document#view')
    await userEvent.click(screen.getByRole('button', { name: 'Save the schema' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Someone else saved a schema meanwhile')
    expect(screen.getByRole('button', { name: 'Save mine' })).toBeDefined()
    expect(sent.filter(({ call }) => call === 'GET schema').length).toBeGreaterThan(1)
  })
})
