import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useSchema } from '../permissions/schema.ts'
import { createProblem, mockNetwork, renderAt, schema } from '../permissions/test-network.tsx'
import { SchemaCard } from './SchemaCard.tsx'

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
  affects: Array.from({ length: 52 }, (_, index) => `document#view_${index}`),
  isCut: true,
  blocking: 0,
}

/** Renders the editor, types a change and returns the sent requests. */
async function editSchema(answers: Parameters<typeof mockNetwork>[0]) {
  const sent = mockNetwork({ 'GET schema': () => schema, ...answers })
  renderAt('/', () => <Card />)
  await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
  await userEvent.type(await area(), '// more')
  return sent
}

test('notes the precedence of combined operators', async () => {
  const text = schema.text.replace('viewer - banned', 'viewer - banned + viewer')
  mockNetwork({ 'GET schema': () => ({ ...schema, text }) })
  renderAt('/', () => <Card />)
  await userEvent.click(await screen.findByRole('button', { name: 'Text' }))
  expect((await screen.findByRole('region', { name: 'Schema text' })).textContent).toContain(
    'read as viewer - (banned + viewer)',
  )
})

describe('the editor', () => {
  test('takes the focus when opened and returns it when closed', async () => {
    mockNetwork({ 'GET schema': () => schema })
    renderAt('/', () => <Card />)
    await userEvent.click(await screen.findByRole('button', { name: 'Edit' }))
    const text = await area()
    await waitFor(() => expect(document.activeElement).toBe(text))
    expect(text.selectionStart).toBe(0)
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit' })))
  })

  test('lists a problem with its position while the user types, and jumps to it', async () => {
    await editSchema({})
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

  test('lists a problem above the text and marks its line', async () => {
    await editSchema({})
    await userEvent.clear(await area())
    await userEvent.type(await area(), 'definition user {{}\ndefinitio x\n// the end')
    const message = await screen.findByText(/Expected `definition`/)
    expect(message.compareDocumentPosition(await area()) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
    const lines = [...((await area()).previousElementSibling?.children ?? [])]
    const marked = lines.filter(({ className }) => className.includes('--bad'))
    expect(marked.map(({ textContent }) => textContent)).toEqual(['definitio x\n'])
  })

  test('shows the effect of a change, and does not save a blocked one', async () => {
    await editSchema({ 'POST schema/diff': () => ({ differences: [removal] }) })
    await userEvent.click(review())
    expect((await screen.findByText(/3 relationships block/)).textContent).toContain('this change')
    expect(screen.getByText('document#view')).toBeDefined()
    // The draft stays open beside the blocking relationships.
    expect(screen.getByRole('link', { name: 'Show in a new tab' }).getAttribute('target')).toBe('_blank')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save schema' }).disabled).toBe(true)
  })

  test('saves with the ETag of the loaded schema', async () => {
    const sent = await editSchema({
      'POST schema/diff': () => ({ differences: [harmless] }),
      'PUT schema': () => ({ writtenAt: 'r3', differences: [] }),
    })
    await userEvent.click(review())
    await screen.findByText('document#view')
    expect(screen.getByText(/and 2 more \(incomplete list\)/)).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Save schema' }))
    await waitFor(() =>
      expect(sent.find(({ call }) => call === 'PUT schema')).toMatchObject({
        ifMatch: '"v1"',
        body: { text: `${schema.text}// more` },
      }),
    )
    expect(await screen.findByRole('button', { name: 'Edit' })).toBeDefined()
  })

  test('reports a concurrent change and loads the schema again', async () => {
    const sent = await editSchema({
      'POST schema/diff': () => ({ differences: [harmless] }),
      'PUT schema': () => createProblem(412, 'precondition-failed', 'It has changed since.'),
    })
    await userEvent.click(review())
    await screen.findByText('document#view')
    await userEvent.click(screen.getByRole('button', { name: 'Save schema' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Another user saved the schema')
    expect(screen.getByRole('button', { name: 'Replace schema' })).toBeDefined()
    expect(sent.filter(({ call }) => call === 'GET schema').length).toBeGreaterThan(1)
  })
})
