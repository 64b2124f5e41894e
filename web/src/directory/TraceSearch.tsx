import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'

/** The search for a sign-in: by a support code, a trace id, or a message that an application has shown. */
export function TraceSearch({ text: shown = '' }: { text?: string }) {
  const navigate = useNavigate()
  const [text, setText] = useState(shown)
  return (
    <search>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          const q = text.trim().slice(0, 300)
          void navigate({ to: '/admin/audit/signins/trace', search: (q ? { q } : {}) as never })
        }}
      >
        <span className="relative min-w-0 flex-1">
          <Search size={16} aria-hidden="true" className="absolute top-1/2 left-3 -translate-y-1/2 text-ink3" />
          <input
            type="text"
            aria-label="Support code or error message"
            placeholder="Support code or error message"
            autoComplete="off"
            spellCheck={false}
            className="ctl pl-9!"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </span>
        <Button type="submit" variant="primary">
          Find
        </Button>
      </form>
    </search>
  )
}
