import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import type { Pickable } from './Picker.tsx'
import { parsePastedLines } from './pasted-lines.ts'
import { TextArea } from './TextArea.tsx'

/** The match for a pasted line, or the reason there is none. */
export type LineResult = { line: string; match: Pickable } | { line: string; fault: string }

interface PasteListProps {
  isOpen: boolean
  title: string
  /** The accepted input: “IDs, usernames or email addresses”. */
  inputLabel: string
  /** The maximum number of lines. */
  max?: number
  /** Resolves each line. Matches with a `disabledReason` are not added. Rejects if the lookup fails. */
  check: (lines: string[]) => Promise<LineResult[]>
  /** Receives the matches. */
  onAdd: (matches: Pickable[]) => void
  onClose: () => void
}

/** A dialog for pasting a list; it shows the match of each line before anything is added. */
export function PasteList({ isOpen, title, onClose, ...rest }: PasteListProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="w-[560px]">
      <PasteForm {...rest} onClose={onClose} />
    </Dialog>
  )
}

function PasteForm({ inputLabel, max = 1000, check, onAdd, onClose }: Omit<PasteListProps, 'isOpen' | 'title'>) {
  const [text, setText] = useState('')
  const [results, setResults] = useState<LineResult[]>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const lines = parsePastedLines(text)
  const matches = uniqueMatches(results ?? [])

  async function lookUpLines() {
    if (lines.length > max)
      return setError(`Up to ${max.toLocaleString()} at a time. This list has ${lines.length.toLocaleString()}.`)
    setBusy(true)
    setError(undefined)
    try {
      setResults(await check(lines))
    } catch {
      setError("Couldn't check the list. Try again.")
    }
    setBusy(false)
  }

  return (
    <form
      className="mt-3 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!results) return void lookUpLines()
        onAdd(matches)
        onClose()
      }}
    >
      <TextArea
        label={inputLabel}
        hint="One per line, or comma-separated"
        error={error}
        rows={results ? 3 : 8}
        spellCheck={false}
        className="font-mono text-[13px]"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setResults(undefined)
          setError(undefined)
        }}
      />
      {results && <LineResults results={results} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          isBusy={isBusy}
          disabled={results ? matches.length === 0 : lines.length === 0}
        >
          {results ? `Add ${matches.length.toLocaleString()}` : 'Check'}
        </Button>
      </div>
    </form>
  )
}

/** Returns the matches that can be added, without duplicates. */
function uniqueMatches(results: LineResult[]): Pickable[] {
  const matches = results.flatMap((result) => ('match' in result && !result.match.disabledReason ? [result.match] : []))
  return [...new Map(matches.map((match) => [match.id, match])).values()]
}

function LineResults({ results }: { results: LineResult[] }) {
  const faults = results.filter((result) => 'fault' in result).length
  return (
    <div>
      <p role="status" className="mb-2 font-[560]">
        {(results.length - faults).toLocaleString()} found
        {faults > 0 && <span className="text-bad">, {faults.toLocaleString()} not found</span>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable list must be reachable with the keyboard */}
      <ul aria-label="Results" tabIndex={0} className="max-h-64 overflow-y-auto rounded-ctl border border-line">
        {results.map((result) => (
          <li key={result.line} className="flex gap-3 border-line px-3 py-1.5 not-first:border-t">
            <code className="min-w-0 flex-1 font-mono text-[12.5px] break-all">{result.line}</code>
            <span className={`min-w-0 flex-1 ${'fault' in result ? 'text-bad' : ''}`}>
              {'fault' in result ? `✗ ${result.fault}` : `✓ ${result.match.name}`}
              {'match' in result && result.match.disabledReason && (
                <span className="text-ink3"> · {result.match.disabledReason}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
