import type { ContentSlug, ContentSummary } from '@passport/contract/content'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { nameLocale, parseLocale } from './languages.ts'

const fallback = 'en'

/** The languages of a slot, and a dialog to add one. */
export function LocalePicker({
  slug,
  locale,
  inSlot,
}: {
  slug: ContentSlug
  locale: string
  inSlot: ContentSummary[]
}) {
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const select = (tag: string) =>
    void navigate({ to: '/admin/content', search: { slug, ...(tag !== fallback && { locale: tag }) } as never })
  const locales = [...new Set([fallback, ...inSlot.map((text) => text.locale), locale])]
  return (
    <div className="flex items-center gap-1.5">
      <select
        aria-label="Language"
        value={locale}
        onChange={({ target }) => select(target.value)}
        className="ctl ctl-select w-auto max-w-44 truncate"
      >
        {locales.map((tag) => (
          <option key={tag} value={tag}>
            {nameLocale(tag)}
          </option>
        ))}
      </select>
      <Button aria-label="Add language" onClick={() => setAdding(true)}>
        <Plus size={16} />
      </Button>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title="Add language">
        <AddForm
          onAdd={(tag) => {
            setAdding(false)
            select(tag)
          }}
          onClose={() => setAdding(false)}
        />
      </Dialog>
    </div>
  )
}

function AddForm({ onAdd, onClose }: { onAdd: (tag: string) => void; onClose: () => void }) {
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const tag = parseLocale(text)
  // Within the form of the text, so not a form of its own.
  const add = () => (tag ? onAdd(tag) : setTried(true))
  return (
    <div className="mt-3 grid gap-4">
      <Field
        label="Language tag"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
        hint={tag ? nameLocale(tag) : 'Such as de, fr or pt-BR.'}
        error={wasTried && !tag ? 'Must be a language tag, such as en, de or pt-BR.' : undefined}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" onClick={add}>
          Add language
        </Button>
      </div>
    </div>
  )
}
