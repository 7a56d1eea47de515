"""What Scrapy does of the job: follows links within the seeds' hosts, writes title and text of each page."""
import sys
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seeds = open(sys.argv[1]).read().split()
hosts = {urlsplit(seed).netloc for seed in seeds}


class Pages(Spider):
    name = "pages"
    start_urls = seeds
    links = LinkExtractor()

    def parse(self, response):
        if not hasattr(response, "css"):
            return
        text = " ".join(part.strip() for part in response.css("body ::text").getall() if part.strip())
        yield {"url": response.url, "title": response.css("title::text").get(), "text": text}
        for link in self.links.extract_links(response):
            if urlsplit(link.url).netloc in hosts:
                yield response.follow(link, self.parse)


process = CrawlerProcess({
    "ROBOTSTXT_OBEY": True, "CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "FEEDS": {sys.argv[2]: {"format": "jsonlines"}},
})
process.crawl(Pages)
process.start()
