import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import type { Pickable } from './Picker.tsx'
import { pastedLines } from './pasted-lines.ts'
import { TextArea } from './TextArea.tsx'

/** What a pasted line stands for, or why it stands for nothing. */
export type Verdict = { line: string; is: Pickable } | { line: string; fault: string }

interface PasteListProps {
  isOpen: boolean
  title: string
  /** What may be pasted: “Ids, usernames or e-mail addresses”. */
  about: string
  /** At most so many lines. */
  max?: number
  /** Tells what each line stands for; one that `taken` is no fault and is left out. Rejects where it could not ask. */
  check: (lines: string[]) => Promise<Verdict[]>
  /** Takes those that were found. */
  onAdd: (found: Pickable[]) => void
  onClose: () => void
}

/** A dialog to paste a list into; it tells what each line stands for before anything is added. */
export function PasteList({ isOpen, title, onClose, ...rest }: PasteListProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} className="w-[560px]">
      <Paste {...rest} onClose={onClose} />
    </Dialog>
  )
}

function Paste({ about, max = 1000, check, onAdd, onClose }: Omit<PasteListProps, 'isOpen' | 'title'>) {
  const [text, setText] = useState('')
  const [verdicts, setVerdicts] = useState<Verdict[]>()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const lines = pastedLines(text)
  const found = foundOf(verdicts ?? [])

  async function ask() {
    if (lines.length > max) return setFault(`At most ${max.toLocaleString()} at a time: these are ${lines.length}.`)
    setBusy(true)
    setFault(undefined)
    try {
      setVerdicts(await check(lines))
    } catch {
      setFault('They could not be looked up. Try again.')
    }
    setBusy(false)
  }

  return (
    <form
      className="mt-3 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!verdicts) return void ask()
        onAdd(found)
        onClose()
      }}
    >
      <TextArea
        label={about}
        hint="One a line, or parted by commas"
        error={fault}
        rows={verdicts ? 3 : 8}
        spellCheck={false}
        className="font-mono text-[13px]"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setVerdicts(undefined)
          setFault(undefined)
        }}
      />
      {verdicts && <Verdicts verdicts={verdicts} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          disabled={verdicts ? found.length === 0 : lines.length === 0}
        >
          {verdicts ? `Add ${found.length.toLocaleString()}` : 'Check'}
        </Button>
      </div>
    </form>
  )
}

/** Those that can be added, each once though two lines may name it. */
function foundOf(verdicts: Verdict[]): Pickable[] {
  const found = verdicts.flatMap((verdict) => ('is' in verdict && !verdict.is.taken ? [verdict.is] : []))
  return [...new Map(found.map((one) => [one.id, one])).values()]
}

function Verdicts({ verdicts }: { verdicts: Verdict[] }) {
  const faults = verdicts.filter((verdict) => 'fault' in verdict).length
  return (
    <div>
      <p role="status" className="mb-2 font-[560]">
        {(verdicts.length - faults).toLocaleString()} found
        {faults > 0 && <span className="text-bad">, {faults.toLocaleString()} not</span>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <ul aria-label="Verdicts" tabIndex={0} className="max-h-64 overflow-y-auto rounded-ctl border border-line">
        {verdicts.map((verdict) => (
          <li key={verdict.line} className="flex gap-3 border-line px-3 py-1.5 not-first:border-t">
            <code className="min-w-0 flex-1 font-mono text-[12.5px] break-all">{verdict.line}</code>
            <span className={`min-w-0 flex-1 ${'fault' in verdict ? 'text-bad' : ''}`}>
              {'fault' in verdict ? `✗ ${verdict.fault}` : `✓ ${verdict.is.name}`}
              {'is' in verdict && verdict.is.taken && <span className="text-ink3"> · {verdict.is.taken}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
