import { ArrowRight } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'

/** The token at the end of a join link, or alone. */
const tokenPattern = /(?:^|\/)([\w-]{43})$/

/** Opens a pasted join link. The server keeps its token in a cookie and shows the invitation. */
export function JoinCard() {
  const [link, setLink] = useState('')
  const [error, setError] = useState<string>()
  function open(event: FormEvent) {
    event.preventDefault()
    const token = tokenPattern.exec(link.trim())?.[1]
    if (token) location.assign(`/join/${token}`)
    else setError('Paste the whole link.')
  }
  return (
    <Card title="Join an organisation" description="With the link that an owner or admin sent you.">
      <form className="grid gap-2.5 px-4 pt-1 pb-4 sm:px-[18px]" onSubmit={open}>
        <Field
          label="Join link"
          isLabelHidden
          placeholder={`${location.origin}/join/…`}
          value={link}
          error={error}
          onChange={({ target }) => {
            setLink(target.value)
            setError(undefined)
          }}
        />
        <Button type="submit" className="justify-self-start">
          Open invitation <ArrowRight size={15} />
        </Button>
      </form>
    </Card>
  )
}
