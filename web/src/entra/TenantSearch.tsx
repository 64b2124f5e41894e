import { type FormEvent, useEffect, useRef } from 'react'
import { useKept } from '../app/use-kept.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'

interface TenantSearchProps {
  q: string
  error: string | undefined
  isBusy: boolean
  /** False once the tenant is found and another button is the primary one. */
  isPrimary?: boolean
  onAsk: (q: string) => void
}

/** The field for a domain, an email address or a tenant id. It has the focus until something was asked. */
export function TenantSearch({ q, error, isBusy, isPrimary = true, onAsk }: TenantSearchProps) {
  const [draft, setDraft] = useKept<string>(`tenant-search:${location.pathname}`)
  const text = draft ?? q
  const shownQ = useRef(q)
  // Back and links change the question.
  useEffect(() => {
    if (shownQ.current !== q) setDraft(undefined)
    shownQ.current = q
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // Not where it would open a keyboard on the screen.
    if (shownQ.current === '' && !matchMedia('(pointer: coarse)').matches)
      form.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setDraft(undefined)
    if (text.trim() !== '') onAsk(text.trim())
  }
  return (
    <form ref={form} onSubmit={submit} className="flex flex-wrap items-start gap-2">
      <div className="min-w-0 max-w-[560px] flex-1 basis-56">
        <Field
          label="Domain, email or tenant ID"
          placeholder="contoso.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          error={text.trim() === q ? error : undefined}
          onChange={({ target }) => setDraft(target.value === q ? undefined : target.value)}
        />
      </div>
      <Button
        type="submit"
        variant={isPrimary ? 'primary' : 'plain'}
        className="mt-[27px]"
        // Not disabled while busy, which would lose the focus.
        aria-busy={isBusy || undefined}
        disabled={text.trim() === ''}
      >
        Find tenant
      </Button>
    </form>
  )
}
