"""What crawlee does of the job: follows links within the seeds' hosts, writes title and text of each page."""
import asyncio
import json
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler

seeds = open(sys.argv[1]).read().split()


async def main():
    out = open(sys.argv[2], "w")
    settings = ConcurrencySettings(max_concurrency=32, desired_concurrency=32)
    crawler = ParselCrawler(concurrency_settings=settings, respect_robots_txt_file=True, configure_logging=False)

    @crawler.router.default_handler
    async def page(context):
        text = " ".join(part.strip() for part in context.selector.css("body ::text").getall() if part.strip())
        title = context.selector.css("title::text").get()
        out.write(json.dumps({"url": context.request.url, "title": title, "text": text}) + "\n")
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run(seeds)
    out.close()


asyncio.run(main())
