import { BookOpen, Braces } from 'lucide-react'
import { GuideLink } from '../app/GuideLink.tsx'
import { Card } from '../ui/Card.tsx'

/** What a developer does with the first token, and instead of one. */
export function GuidesCard() {
  return (
    <Card title="With a token">
      <ul className="pb-1.5 sm:grid sm:grid-cols-2 sm:*:border-0">
        <GuideLink href="/docs/api" icon={Braces} title="Call the API" summary="Every call, with its access" />
        <GuideLink
          href="/docs/your-first-client"
          icon={BookOpen}
          title="Sign users in"
          summary="An app gets tokens of its own, as a client"
        />
      </ul>
    </Card>
  )
}
