import { Link } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { printLines, readLines } from './relationship-lines.ts'
import { SaveSupposed } from './SaveSupposed.tsx'
import { SupposedBar } from './SupposedBar.tsx'
import { suppose, useSupposition } from './supposition.ts'

/** The playground: relationships that are supposed to be there or gone, under which every question can be asked. */
export function SupposeCard() {
  const supposed = useSupposition()
  const [add, setAdd] = useState(() => printLines(supposed?.add ?? []))
  const [remove, setRemove] = useState(() => printLines(supposed?.remove ?? []))
  const [isTried, setTried] = useState(false)
  const [isSaving, setSaving] = useState(false)
  useEffect(() => {
    setAdd(printLines(supposed?.add ?? []))
    setRemove(printLines(supposed?.remove ?? []))
  }, [supposed])
  const [added, removed] = [readLines(add), readLines(remove)]
  const hasRelationships = supposed !== undefined && supposed.add.length + supposed.remove.length > 0

  function apply(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (added.error || removed.error) return
    const schema = supposed?.schema
    suppose({
      add: added.relationships,
      remove: removed.relationships,
      ...(schema !== undefined && { schema }),
    })
  }

  return (
    <div id="suppose" className="scroll-mt-20">
      <Card
        title="Suppose …"
        about="What would the answers be if some relationships were there or gone, or the schema another? Nothing is saved by asking."
      >
        <form onSubmit={apply} aria-label="Suppose" className="grid gap-4 px-5 pb-5 md:grid-cols-2">
          <RelationshipLines
            label="These were there"
            error={isTried ? added.error : undefined}
            placeholder="document:roadmap#viewer@user:eve"
            value={add}
            onChange={({ target }) => setAdd(target.value)}
          />
          <RelationshipLines
            label="These were gone"
            error={isTried ? removed.error : undefined}
            placeholder="group:staff#member@group:engineering#member"
            value={remove}
            onChange={({ target }) => setRemove(target.value)}
          />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 md:col-span-2">
            <Button type="submit" disabled={add.trim() === '' && remove.trim() === '' && !hasRelationships}>
              Suppose this
            </Button>
            <span className="text-[13px] text-ink2">Another schema is supposed from its editor below.</span>
          </div>
        </form>
        {supposed && (
          <div className="border-t border-line px-5 pb-5">
            <SupposedBar>
              {hasRelationships && (
                <Button isSmall onClick={() => setSaving(true)}>
                  Save …
                </Button>
              )}
            </SupposedBar>
            <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
              Ask under it:
              <Link to="/admin/tools/permissions/check" className="link">
                Permission Checker
              </Link>
              <Link to="/admin/tools/permissions/lookupResources" className="link">
                What can you access?
              </Link>
              <Link to="/admin/tools/permissions/lookupSubjects" className="link">
                Who can access that?
              </Link>
            </p>
          </div>
        )}
        {supposed && <SaveSupposed supposed={supposed} isOpen={isSaving} onClose={() => setSaving(false)} />}
      </Card>
    </div>
  )
}

function RelationshipLines(
  props: Pick<ComponentProps<typeof TextArea>, 'label' | 'error' | 'placeholder' | 'value' | 'onChange'>,
) {
  return (
    <TextArea
      {...props}
      hint="One relationship a line."
      spellCheck={false}
      rows={3}
      className="font-mono text-[13px]"
    />
  )
}
