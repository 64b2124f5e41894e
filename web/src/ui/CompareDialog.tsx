import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

/** A field that differs between the local edit and the saved version, both as text. */
export interface Difference {
  name: string
  label: string
  mine: string
  theirs: string
  /** The initial choice: `mine` for fields that the current user edited, `theirs` for fields that only the other user edited. */
  choice: 'mine' | 'theirs'
}

interface CompareDialogProps {
  isOpen: boolean
  /** Refers to the record in the title, such as “this group”. */
  recordLabel: string
  differences: Difference[]
  isBusy: boolean
  onSave: (choices: Record<string, 'mine' | 'theirs'>) => void
  onClose: () => void
}

/** Resolves an edit conflict: keeps mine or takes theirs, field by field. */
export function CompareDialog({ isOpen, recordLabel, onClose, ...rest }: CompareDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Another user changed ${recordLabel}`} className="w-[640px]">
      <CompareForm {...rest} onClose={onClose} />
    </Dialog>
  )
}

function CompareForm({ differences, isBusy, onSave, onClose }: Omit<CompareDialogProps, 'isOpen' | 'recordLabel'>) {
  const [choices, setChoices] = useState(() =>
    Object.fromEntries(differences.map(({ name, choice }) => [name, choice] as const)),
  )
  const choose = (name: string, choice: 'mine' | 'theirs') => setChoices((all) => ({ ...all, [name]: choice }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(choices)
      }}
    >
      <p className="mt-1.5 text-ink2">
        {differences.length > 0
          ? 'Choose which version of each field to save.'
          : 'Their changes do not overlap with yours. You can save.'}
      </p>
      <div className="mt-4 grid gap-4">
        {differences.map((difference) => (
          <fieldset key={difference.name} className="min-w-0">
            <legend className="mb-1.5 font-[560]">{difference.label}</legend>
            <div className="grid gap-2 sm:grid-cols-2">
              {(['mine', 'theirs'] as const).map((side) => (
                <label
                  key={side}
                  className="flex min-w-0 cursor-pointer items-start gap-2.5 rounded-ctl border border-line p-3 has-checked:border-stamp has-checked:bg-selection"
                >
                  <input
                    type="radio"
                    name={`choice-${difference.name}`}
                    className="mt-0.5 size-4 shrink-0 accent-stamp"
                    checked={choices[difference.name] === side}
                    onChange={() => choose(difference.name, side)}
                  />
                  <span className="min-w-0">
                    <span className="block text-[13px] text-ink2">{side === 'mine' ? 'Keep mine' : 'Use theirs'}</span>
                    <span className="block break-words whitespace-pre-wrap">{difference[side] || '(empty)'}</span>
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Save
        </Button>
      </div>
    </form>
  )
}
