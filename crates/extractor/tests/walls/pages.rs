//! Walls as vendors write them, and pages that only look like walls.
//!
//! All written for these tests: the markup is short, the sentences are those that a reader meets.

use outcome::WallKind;

/// A made-up wall.
pub struct Page {
    pub vendor: &'static str,
    pub kind: WallKind,
    pub variant: &'static str,
    pub html: String,
}

impl Page {
    pub fn is_chinese(&self) -> bool {
        self.html
            .chars()
            .filter(|c| ('\u{4e00}'..'\u{9fff}').contains(c))
            .count()
            >= 8
    }
}

/// Vendor, kind, title, head markup (scripts and marks), body without its marks, body of marks.
type Template = (
    &'static str,
    WallKind,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

use WallKind::{Bot, ComingSoon, Consent, Human, Login, Parked, RateLimit};

const TEMPLATES: &[Template] = &[
    (
        "cloudflare",
        Bot,
        "Just a moment...",
        "<meta http-equiv=refresh content=360><script>(function(){window._cf_chl_opt={cvId:'3',cZone:'HOST',cType:'managed',cRay:'RAY'};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=RAY';}());</script>",
        "<h1>HOST</h1><p>Verifying you are human. This may take a few seconds.</p><p>HOST needs to review the security of your connection before proceeding.</p><div>Ray ID: RAY</div><div>Performance &amp; security by Cloudflare</div>",
        "<noscript><div id=challenge-error-text>Enable JavaScript and cookies to continue</div></noscript>",
    ),
    (
        "cloudflare",
        Bot,
        "Attention Required! | Cloudflare",
        "<link rel=stylesheet href=/cdn-cgi/styles/cf.errors.css>",
        "<h1>Sorry, you have been blocked</h1><h2>You are unable to access HOST</h2><h2>Why have I been blocked?</h2><p>This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution. There are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or malformed data.</p><h2>What can I do to resolve this?</h2><p>You can email the site owner to let them know you were blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of this page.</p><p>Cloudflare Ray ID: RAY &bull; Your IP: IP &bull; Performance &amp; security by Cloudflare</p>",
        "<div id=cf-error-details class=cf-error-details-wrapper></div>",
    ),
    (
        "cloudflare",
        Bot,
        "Checking your browser",
        "<script>setTimeout(function(){var s,t,o,p='jschl_vc';},4000)</script>",
        "<h1>Checking your browser before accessing HOST.</h1><p>This process is automatic. Your browser will redirect to your requested content shortly.</p><p>Please allow up to 5 seconds&hellip;</p><p>DDoS protection by Cloudflare. Ray ID: RAY</p>",
        "<form id=challenge-form action='/x?__cf_chl_f_tk=TOKEN' method=post></form>",
    ),
    (
        "cloudflare turnstile",
        Human,
        "Verification",
        "<script src=https://challenges.cloudflare.com/turnstile/v0/api.js async></script>",
        "<p>One more step before you continue</p><p>Please verify you are human to view this page.</p>",
        "<div class=cf-turnstile data-sitekey=TOKEN></div>",
    ),
    (
        "akamai",
        Bot,
        "Access Denied",
        "",
        "<h1>Access Denied</h1>You don't have permission to access \"http://HOST/news\" on this server.<p>Reference #18.TOKEN.RAY</p><p>https://errors.edgesuite.net/18.TOKEN</p>",
        "",
    ),
    (
        "akamai",
        Bot,
        "&nbsp;",
        "<meta http-equiv=refresh content=\"5; URL='/news?bm-verify=TOKEN'\"><script>var i=1700000000;var j=i+Number('1234'+'567');triggerInterstitialChallenge();</script>",
        "",
        "<noscript>Please turn on JavaScript.</noscript>",
    ),
    (
        "akamai",
        Bot,
        "Challenge Validation",
        "<script src=/_sec/cp_challenge/ak-challenge-4-3.js></script>",
        "<p>Powered and protected by</p><p>Privacy</p>",
        "<div id=sec-if-cpt-container></div><iframe id=sec-cpt-if src=about:blank></iframe>",
    ),
    (
        "human",
        Human,
        "Access to this page has been denied",
        "<script>window._pxAppId='PXTOKEN';window._pxUuid='RAY';window._pxHostUrl='https://collector-px.px-cloud.net'</script>",
        "<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1><p>Reference ID RAY</p>",
        "<div id=px-captcha></div><script src=https://captcha.px-cdn.net/PX/captcha.js?a=c></script>",
    ),
    (
        "human",
        Human,
        "HOST",
        "<script>window._pxAppId='PXTOKEN'</script>",
        "<h2>Before we continue...</h2><p>Press &amp; Hold to confirm you are a human (and not a bot).</p><p>Having a problem? Please contact support. Reference ID RAY</p><p>Access to this page has been denied because we believe you are using automation tools to browse the website.</p>",
        "",
    ),
    (
        "datadome",
        Bot,
        "HOST",
        "<style>#cmsg{animation: A 1.5s;}</style>",
        "<p id=cmsg>Please enable JS and disable any ad blocker</p>",
        "<script>var dd={'rt':'c','cid':'TOKEN','hsh':'RAY','t':'fe','s':1234,'host':'geo.captcha-delivery.com'}</script><script src=https://ct.captcha-delivery.com/c.js></script>",
    ),
    (
        "datadome",
        Human,
        "You have been blocked",
        "<script src=https://interstitial.captcha-delivery.com/i.js></script>",
        "<p>We want to make sure it is actually you we are dealing with and not a robot.</p><p>Slide right to secure your access</p><p>Why is this verification required? Something about the behaviour of the browser has caught our attention. Your IP: IP. ID: TOKEN</p>",
        "",
    ),
    (
        "imperva",
        Bot,
        "",
        "<META NAME=ROBOTS CONTENT='NOINDEX, NOFOLLOW'>",
        "",
        "<iframe id=main-iframe src='/_Incapsula_Resource?CWUDNSAI=23&xinfo=TOKEN&incident_id=RAY' frameborder=0>Request unsuccessful. Incapsula incident ID: RAY</iframe>",
    ),
    (
        "imperva",
        Bot,
        "Pardon Our Interruption",
        "<script src=/reese84-TOKEN.js></script>",
        "<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen:</p><ul><li>You've disabled JavaScript in your web browser.</li><li>You're a power user moving through this website with super-human speed.</li><li>You've disabled cookies in your web browser.</li></ul><p>To regain access, please make sure that cookies and JavaScript are enabled before reloading the page.</p>",
        "",
    ),
    (
        "imperva",
        Bot,
        "Access denied",
        "",
        "<p>Access denied. Error code 15. This request was blocked by our security service.</p><p>HOST. Incident ID: RAY</p><p>Your IP: IP. Powered by Incapsula. Request unsuccessful. Incapsula incident ID: RAY</p>",
        "",
    ),
    (
        "aws",
        Bot,
        "",
        "<script>window.awsWafCookieDomainList=[];window.gokuProps={'key':'TOKEN','iv':'RAY','context':'TOKEN'};</script><script src=https://TOKEN.token.awswaf.com/TOKEN/challenge.js></script>",
        "<noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot. This requires JavaScript. Enable JavaScript and then reload the page.</noscript>",
        "<div id=challenge-container></div>",
    ),
    (
        "aws",
        Human,
        "Human Verification",
        "<script src=https://TOKEN.captcha.awswaf.com/TOKEN/captcha.js></script>",
        "<h1>Let's confirm you are human</h1><p>Complete the security check before continuing. This step verifies that you are not a bot, which helps to protect your account and prevent spam.</p><button>Begin</button>",
        "<script>AwsWafCaptcha.renderCaptcha(c,{})</script>",
    ),
    (
        "aws",
        Bot,
        "ERROR: The request could not be satisfied",
        "",
        "<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked. We can't connect to the server for this app or website at this time. There might be too much traffic or a configuration error. Try again later, or contact the app or website owner.<br>If you provide content to customers through CloudFront, you can find steps to troubleshoot and help prevent this error by reviewing the CloudFront documentation.<hr><pre>Generated by cloudfront (CloudFront) Request ID: TOKEN</pre>",
        "",
    ),
    (
        "amazon",
        Human,
        "Robot Check",
        "",
        "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot. For best results, please make sure your browser is accepting cookies.</p><h4>Type the characters you see in this image:</h4>",
        "<form method=get action=/errors/validateCaptcha><input type=text name=field-keywords></form><script src=https://images/opfcaptcha.js></script>",
    ),
    (
        "sucuri",
        Bot,
        "You are being redirected...",
        "<script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='TOKEN';</script>",
        "<noscript>Javascript is required. Please enable javascript before you are allowed to see this page.</noscript>",
        "",
    ),
    (
        "sucuri",
        Bot,
        "Sucuri WebSite Firewall - Access Denied",
        "<link rel=stylesheet href=https://cdn.sucuri.net/sucuri-firewall-block.css>",
        "<h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site owner (or you manage this site), please whitelist your IP or if you think this block is an error please open a support ticket and make sure to include the block details (displayed in the box below), so we can assist you in troubleshooting the issue.</p><h2>Block details:</h2><table><tr><td>Your IP:<td>IP<tr><td>URL:<td>HOST/<tr><td>Block ID:<td>BNP005<tr><td>Block reason:<td>Bad bot access attempt.</table>",
        "",
    ),
    (
        "anubis",
        Bot,
        "Making sure you're not a bot!",
        "<link rel=stylesheet href=/.within.website/x/xess/xess.min.css><script id=anubis_version type=application/json>\"v1.21\"</script><script id=anubis_challenge type=application/json>{\"rules\":{\"algorithm\":\"fast\",\"difficulty\":4}}</script>",
        "<h1>Making sure you're not a bot!</h1><p>Loading...</p><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of this website has set up Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This can and does cause downtime for the websites, which makes their resources inaccessible for everyone.</p><p>Anubis is a compromise. It uses a proof-of-work scheme in the vein of Hashcash.</p></details><p>Protected by Anubis from Techaro. Made with love in CA.</p>",
        "",
    ),
    (
        "anubis",
        Bot,
        "正在确认你是不是机器人！",
        "<script async type=module src=/.within.website/x/cmd/anubis/static/js/main.mjs?cachebuster=TOKEN></script>",
        "<h1>正在确认你是不是机器人！</h1><p>加载中...</p><p>你会看到这个画面，是因为网站管理员启用了 Anubis 来保护服务器，避免 AI 公司大量爬取网站内容。</p>",
        "",
    ),
    (
        "go-away",
        Bot,
        "Checking you are not a bot",
        "<link rel=stylesheet href='/.well-known/.git.gammaspectra.live/git/go-away/cmd/go-away/assets/style.css'>",
        "<h1>Checking you are not a bot</h1><p>Loading challenge js-pow-sha256, please wait.</p>",
        "",
    ),
    (
        "recaptcha",
        Human,
        "https://HOST/search?q=x",
        "<script src=https://www.google.com/recaptcha/enterprise.js async></script>",
        "<hr>About this page<br>Our systems have detected unusual traffic from your computer network. This page checks to see if it's really you sending the requests, and not a robot. Why did this happen?<br>IP address: IP<br>Time: 2024-05-01T10:00:00Z<br>URL: https://HOST/",
        "<form id=captcha-form action=index method=post><div class=g-recaptcha data-sitekey=TOKEN></div></form>",
    ),
    (
        "recaptcha",
        Human,
        "Security check",
        "<script src='https://www.google.com/recaptcha/api.js'></script>",
        "<h1>Security check</h1><p>Please complete the security check to access HOST.</p><p>Why do I have to complete a CAPTCHA? It proves you are human and gives you temporary access to the web property.</p>",
        "<div class=g-recaptcha data-sitekey=TOKEN></div><textarea name=g-recaptcha-response style='display:none'></textarea>",
    ),
    (
        "hcaptcha",
        Human,
        "Are you human?",
        "<script src=https://js.hcaptcha.com/1/api.js async defer></script>",
        "<p>Please confirm you are human by completing the captcha below.</p>",
        "<div class=h-captcha data-sitekey=TOKEN></div><input type=submit value=Continue>",
    ),
    (
        "arkose",
        Human,
        "Verification required",
        "<script src=https://client-api.arkoselabs.com/v2/TOKEN/api.js></script>",
        "<h2>Verify you're human</h2><p>We need to verify that you're human to keep this site safe. Please solve the puzzle.</p>",
        "<div id=funcaptcha></div>",
    ),
    (
        "geetest",
        Human,
        "安全验证",
        "<script src=https://static.geetest.com/v4/gt4.js></script>",
        "<h2>安全验证</h2><p>为了保障您的访问安全，请完成以下验证后继续访问。</p><div>点击按钮进行验证</div>",
        "<script>initGeetest4({captchaId:'TOKEN'},function(c){c.appendTo('#captcha')})</script>",
    ),
    (
        "tencent",
        Human,
        "安全验证",
        "<script src=https://turing.captcha.qcloud.com/TCaptcha.js></script>",
        "<p>系统检测到您的网络环境存在异常，请完成安全验证。</p><p>拖动下方滑块完成拼图</p>",
        "<script>var captcha1=new TencentCaptcha('2000000');captcha1.show()</script>",
    ),
    (
        "tencent edgeone",
        Bot,
        "",
        "<script>var __tst_status='TOKEN#';document.cookie='EO_Bot_Ssid=RAY;'</script>",
        "",
        "<noscript>请开启 JavaScript</noscript>",
    ),
    (
        "wechat",
        Human,
        "",
        "",
        "<h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p><a href=javascript:;>去验证</a>",
        "",
    ),
    (
        "aliyun",
        Human,
        "验证码拦截",
        "<script src=https://g.alicdn.com/sd/punish/waf_block.js></script><script src=https://g.alicdn.com/AWSC/AWSC/awsc.js></script>",
        "<div>访问验证</div><div>别离开，为了更好的访问体验，请进行验证，通过后即可继续访问网页</div><div>请按住滑块，拖动到最右边</div>",
        "<div id=nocaptcha></div><form action='/_____tmd_____/punish?x5secdata=TOKEN'></form>",
    ),
    (
        "aliyun",
        Bot,
        "",
        "<script>var arg1='TOKEN';var _0x4818=['\\x63'];function setCookie(n,v){document.cookie='acw_sc__v2='+v}</script>",
        "",
        "",
    ),
    (
        "aliyun",
        Bot,
        "405",
        "<link rel=icon href=//errors.aliyun.com/favicon.ico>",
        "<h3>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</h3><p>您的请求ID是：TOKEN</p><p>误报反馈</p>",
        "<img src=https://errors.aliyun.com/images/TB1.png>",
    ),
    (
        "aliyun",
        Bot,
        "",
        "<meta name=aliyun_waf_aa content=RAY>",
        "",
        "<textarea id=renderData style='display:none'>{\"_waf_bd8ce2ce37\":\"TOKEN\"}</textarea><script src=//s.dnsrp.com/aliyun_waf_oo.js></script>",
    ),
    (
        "safeline",
        Bot,
        "安全检测能力由 雷池 WAF 提供",
        "<link rel=stylesheet href=/.safeline/static/style.css>",
        "<h1>请求存在威胁，已被拦截</h1><p>安全检测能力由 雷池 WAF 提供</p><p>event_id: RAY</p>",
        "",
    ),
    (
        "safeline",
        Bot,
        "正在进行人机识别",
        "<script>var SafeLineChallenge=function(){};</script>",
        "<div class=slg-caption>正在进行人机识别，请稍候...</div><p>请稍候，正在检查您的浏览器</p><p>Protected By 雷池 WAF</p>",
        "<div id=slg-box><div class=slg-title></div></div>",
    ),
    (
        "safeline",
        Human,
        "Human verification",
        "<script src=/.safeline/static/challenge.js></script>",
        "<div>确认您是真人</div><div>点击按钮进行验证</div><p>HOST 需要先检查您的连接的安全性</p>",
        "",
    ),
    (
        "baota",
        Bot,
        "网站防火墙",
        "",
        "<h1>网站防火墙</h1><p>您的请求带有不合法参数，已被网站管理员设置拦截！</p><h4>可能原因：</h4><p>您提交的内容包含危险的攻击请求</p><h4>如何解决：</h4><ul><li>检查提交内容；</li><li>如网站托管，请联系空间提供商；</li><li>普通网站访客，请联系网站管理员；</li><li>这是误报，请联系宝塔 http://www.bt.cn/bbs</li></ul>",
        "",
    ),
    (
        "baota",
        Bot,
        "浏览器安全检查中",
        "<script src=/btwaf?get_captcha></script>",
        "<p>浏览器安全检查中，请稍候……</p><p>系统正在检查您的浏览器是否安全，完成后会自动跳转</p>",
        "",
    ),
    (
        "360",
        Bot,
        "360网站卫士",
        "<script>wzwschallenge='RAYWZWS_CONFIRM_PREFIX_LABEL';wzwstemplate='TOKEN'</script>",
        "<p>您所提交的请求含有不合法的参数，已被网站管理员设置拦截！</p>",
        "<script src=/wzws-waf-cgi/challenge></script>",
    ),
    (
        "yunsuo",
        Bot,
        "",
        "<script>function stringToHex(s){}function YunSuoAutoJump(){var curlocation=location.href;location='/?security_verify_data='+stringToHex('1920,1080')}</script>",
        "",
        "<script>setTimeout('YunSuoAutoJump()',50)</script>",
    ),
    (
        "jiasule",
        Bot,
        "",
        "<script>document.cookie=('_')+('_')+('j');var x='__jsl_clearance=TOKEN'</script>",
        "",
        "",
    ),
    (
        "jiasule",
        Bot,
        "访问被拦截",
        "",
        "<h2>当前访问疑似黑客攻击，已被创宇盾拦截</h2><p>如果您是网站管理员，请登录知道创宇云安全查看详情。您的IP：IP</p>",
        "",
    ),
    (
        "safedog",
        Bot,
        "网站访问报错",
        "<script src=http://404.safedog.cn/Scripts/url.js></script>",
        "<p>网站防火墙</p><p>您的请求带有不合法参数，已被网站管理员设置拦截！</p>",
        "",
    ),
    (
        "ruishu",
        Bot,
        "",
        "<meta id=TOKEN content='RAY' r='m'><script r='m'>$_ts=window['$_ts'];if(!$_ts)$_ts={};$_ts.nsd=12345;$_ts.cd='TOKEN';</script>",
        "",
        "",
    ),
    (
        "baidu",
        Human,
        "百度安全验证",
        "<script src=https://wappass.baidu.com/static/captcha/js/mkd.js></script>",
        "<p>网络不给力，请稍后重试</p><p>返回首页</p><p>问题反馈</p>",
        "<div class=timeout hide></div>",
    ),
    (
        "bytedance",
        Human,
        "验证码中间页",
        "<script>window.byted_acrawler&&window.byted_acrawler.init({aid:1})</script>",
        "",
        "<div id=captcha_container></div>",
    ),
    (
        "bilibili",
        Bot,
        "出错啦! - HOST",
        "",
        "<p>错误号: 412</p><p>由于触发哔哩哔哩安全风控策略，该次访问请求被拒绝。</p><p>The request was rejected because of the bilibili security control policy.</p>",
        "",
    ),
    (
        "zhihu",
        Human,
        "安全验证 - 知乎",
        "",
        "<p>系统监测到您的网络环境存在异常，为保证您的正常访问，请点击下方验证按钮进行验证。在您验证完成前，该提示将多次出现</p><button>开始验证</button>",
        "<form action=/account/unhuman></form>",
    ),
    (
        "sina",
        Login,
        "Sina Visitor System",
        "<script>window.use_fp='1'==='1';var url='https://passport.weibo.com/visitor/genvisitor2'</script>",
        "",
        "",
    ),
    (
        "jd",
        Human,
        "京东验证",
        "<script>location.href='https://cfe.m.jd.com/privatedomain/risk_handler/03101900/?returnurl=x'</script>",
        "<p>快速验证</p>",
        "",
    ),
    (
        "huawei",
        Bot,
        "访问被拦截",
        "",
        "<h1>您的请求疑似攻击行为！</h1><p>事件ID：TOKEN</p><p>若您是网站管理员，请前往华为云 CloudWAF 处理。</p>",
        "",
    ),
    (
        "own zh",
        Human,
        "身份验证",
        "",
        "<p>为了您的账号安全，请输入图中的验证码</p><p>请完成安全验证后继续访问</p>",
        "<form><input name=captcha><img src=/captcha.jpg><button>提交</button></form>",
    ),
    (
        "own zh",
        RateLimit,
        "提示",
        "",
        "<p>您的访问过于频繁，请稍后再试。</p>",
        "",
    ),
    (
        "own zh",
        RateLimit,
        "操作太频繁",
        "",
        "<h3>抱歉，您的访问频率过快，请休息一下再来</h3><a href=/>返回首页</a>",
        "",
    ),
    (
        "own zh",
        RateLimit,
        "HOST",
        "",
        "<div class=tip><p>系统检测到您的请求次数过多，请求频率过高，请 10 分钟后稍后重试。</p><p>IP: IP</p></div>",
        "",
    ),
    (
        "ddos-guard",
        Bot,
        "DDoS-Guard",
        "<link rel=stylesheet href=/.well-known/ddos-guard/js-challenge/index.css>",
        "<h1>Checking your browser before accessing HOST</h1><p>Please wait a few seconds. Once this check is complete, the website will open automatically</p><p>IP: IP. Request ID: TOKEN</p>",
        "<script src=https://check.ddos-guard.net/check.js></script>",
    ),
    (
        "ddos-guard",
        Bot,
        "Проверка вашего браузера",
        "",
        "<h1>Проверка вашего браузера перед переходом на HOST</h1><p>Пожалуйста, подождите несколько секунд.</p><p>DDoS-Guard</p>",
        "<script src=/.well-known/ddos-guard/id/TOKEN></script>",
    ),
    (
        "siteground",
        Bot,
        "Robot Challenge Screen",
        "<meta http-equiv=refresh content='0;/.well-known/sgcaptcha/?r=%2F&y=ipc:IP:17'>",
        "<p>Checking the site connection security</p>",
        "",
    ),
    (
        "wordfence",
        Bot,
        "Your access to this site has been limited by the site owner",
        "",
        "<h1>Your access to this site has been limited by the site owner</h1><p>Your access to this service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in error, contact the owner of this site for assistance.</p><h3>Block Technical Data</h3><p>Block Reason: Exceeded the maximum number of requests per minute for crawlers.</p><p>Generated by Wordfence at Wed, 1 May 2024 10:00:00 GMT.</p>",
        "",
    ),
    (
        "kasada",
        Bot,
        "",
        "<script>window.KPSDK={};KPSDK.now=typeof performance;KPSDK.start=KPSDK.now()</script><script src='/149e9513/ips.js?KP_UIDz=TOKEN'></script>",
        "",
        "",
    ),
    (
        "f5",
        Bot,
        "Request Rejected",
        "",
        "The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: RAY<br><br><a href='javascript:history.back();'>[Go Back]</a>",
        "",
    ),
    (
        "f5",
        Bot,
        "",
        "<script>window[\"bobcmn\"]=\"101110\";window[\"failureConfig\"]=\"TOKEN\";</script><script src=/TSPD/08RAY?type=7></script>",
        "<noscript>Please enable JavaScript to view the page content.<br>Your support ID is: RAY.</noscript>",
        "",
    ),
    (
        "radware",
        Human,
        "Radware Bot Manager Captcha",
        "<script src=https://captcha.perfdrive.com/captcha-public/js/x.js></script>",
        "<h1>We apologize for the inconvenience...</h1><p>...but your activity and behavior on this site made us think that you are a bot.</p><p>Please solve this CAPTCHA to request unblock to the website</p>",
        "<div class=h-captcha></div>",
    ),
    (
        "vercel",
        Bot,
        "Vercel Security Checkpoint",
        "",
        "<p>We're verifying your browser</p><p>Website owner? Click here to fix</p><p>Vercel Security Checkpoint | fra1::TOKEN</p>",
        "<a href=https://vercel.link/security-checkpoint></a>",
    ),
    (
        "fastly",
        Bot,
        "Client Challenge",
        "<script src='/_fs-ch-TOKEN/script.js'></script>",
        "<noscript>JavaScript is disabled in your browser. Please enable JavaScript to proceed. A required part of this site couldn’t load. This may be due to a browser extension, network issues, or browser settings.</noscript>",
        "",
    ),
    (
        "imunify360",
        Bot,
        "One moment, please...",
        "",
        "<h1>Please wait while your request is being verified...</h1>",
        "<form id=wsidchk-form action=/z0f76a1d14fd21a8fb5fd0d03e0fdc3d3cedae52f><input type=hidden name=wsidchk></form>",
    ),
    (
        "yandex",
        Human,
        "Ой!",
        "<script src=https://smartcaptcha.yandexcloud.net/captcha.js></script>",
        "<h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего устройства похожи на автоматические.</p><p>Я не робот</p>",
        "<form action=/checkcaptcha?key=TOKEN></form>",
    ),
    (
        "testcookie",
        Bot,
        "",
        "<script src=/aes.js></script><script>function toNumbers(d){}var a=toNumbers('RAY'),b=toNumbers('RAY'),c=toNumbers('RAY');document.cookie=\"__test=\"+toHex(slowAES.decrypt(c,2,a,b))+\"; path=/\";location.href='/?i=1'</script>",
        "<noscript>This site requires Javascript to work, please enable Javascript in your browser or use a browser with Javascript support</noscript>",
        "",
    ),
    (
        "azure",
        Bot,
        "Azure WAF",
        "<script src=/.azwaf/jsclearance/challenge.js></script>",
        "<p>Please wait while we check your browser...</p>",
        "",
    ),
    (
        "hostinger",
        Bot,
        "Just a moment",
        "<script src=/hcdn-cgi/jschallenge?h=1></script>",
        "<p>Checking your browser before accessing. Just a moment...</p>",
        "",
    ),
    (
        "own",
        RateLimit,
        "429 Too Many Requests",
        "",
        "<h1>Too Many Requests</h1><p>You have sent too many requests in a given amount of time. Please slow down and try again later.</p>",
        "",
    ),
    (
        "own",
        RateLimit,
        "Slow down",
        "",
        "<h2>Rate limit exceeded</h2><p>You've made too many requests from IP. Wait a moment and try again.</p>",
        "",
    ),
    (
        "own",
        RateLimit,
        "Whoa there!",
        "",
        "<p>You are being rate limited. We limit how quickly you can load pages so that the site stays fast for all. Please try again in a few minutes.</p>",
        "",
    ),
    (
        "own de",
        RateLimit,
        "Fehler",
        "",
        "<h1>Zu viele Anfragen</h1><p>Von Ihrer Adresse IP kamen zu viele Anfragen. Bitte warten Sie einige Minuten.</p>",
        "",
    ),
    (
        "own",
        Human,
        "Are you a robot?",
        "",
        "<h1>Are you a robot?</h1><p>To continue, please click the box below to let us know you're not a robot.</p><p>Block reference ID: TOKEN</p>",
        "<div id=challenge></div>",
    ),
    (
        "own fr",
        Human,
        "Vérification",
        "",
        "<h1>Vérifiez que vous êtes humain</h1><p>Complétez l'action ci-dessous pour continuer.</p>",
        "<div class=cf-turnstile></div>",
    ),
    (
        "own es",
        Human,
        "Un momento…",
        "<script>window._cf_chl_opt={cType:'managed'}</script>",
        "<p>Verifique que es un ser humano completando la acción a continuación.</p><p>HOST necesita revisar la seguridad de su conexión antes de continuar.</p>",
        "",
    ),
    (
        "own ja",
        Human,
        "確認",
        "",
        "<p>ロボットではないことを確認するため、画像の文字を入力してください。</p>",
        "<input name=captcha>",
    ),
    (
        "google",
        Consent,
        "Before you continue to YouTube",
        "<meta name=x content=consent.youtube.com>",
        "<h1>Before you continue to YouTube</h1><p>We use cookies and data to</p><ul><li>Deliver and maintain Google services</li><li>Track outages and protect against spam, fraud and abuse</li><li>Measure audience engagement and site statistics to understand how our services are used</li></ul><p>If you choose to \"Accept all,\" we will also use cookies and data to develop and improve new services, deliver and measure the effectiveness of ads, and show personalised content, depending on your settings.</p><button>Reject all</button><button>Accept all</button><a href=/more>More options</a>",
        "<form action=https://consent.youtube.com/save></form>",
    ),
    (
        "yahoo",
        Consent,
        "Yahoo is part of the Yahoo family of brands",
        "",
        "<h1>We value your privacy</h1><p>Yahoo is part of the Yahoo family of brands. The sites and apps that we own and operate, including Yahoo and AOL, and our digital advertising service.</p><p>When you use our sites and apps, we use cookies to provide our sites and apps to you, authenticate users, apply security measures, and measure your use of our sites and apps.</p><p>If you click 'Accept all', we and our partners, including 237 who are part of the IAB framework, will also store and/or access information on a device and use precise geolocation data and other personal data.</p><button>Accept all</button><button>Reject all</button><a href=/s>Manage privacy settings</a>",
        "<form action='/v2/collectConsent?sessionId=TOKEN'></form>",
    ),
    (
        "sourcepoint",
        Consent,
        "Zustimmung",
        "<script src=https://cdn.privacy-mgmt.com/unified/wrapperMessagingWithoutDetection.js></script>",
        "<h1>Mit Werbung weiterlesen</h1><p>Besuchen Sie HOST wie gewohnt mit Werbung und Tracking. Ihre Zustimmung können Sie jederzeit widerrufen.</p><p>Wir und unsere Partner verarbeiten personenbezogene Daten mit Hilfe von Cookies, um Anzeigen und Inhalte zu personalisieren.</p><button>Alle akzeptieren</button><a href=/datenschutz>Datenschutz</a>",
        "<div id=sp_message_container_1></div>",
    ),
    (
        "onetrust",
        Consent,
        "HOST",
        "<script src=https://cdn.cookielaw.org/onetrust.js></script>",
        "<h2>We Care About Your Privacy</h2><p>We and our 842 partners store and/or access information on a device, such as unique IDs in cookies to process personal data. You may accept or manage your choices by clicking below.</p><button>Accept all</button><button>Reject all</button><button>Manage preferences</button>",
        "<div id=onetrust-consent-sdk></div>",
    ),
    (
        "didomi",
        Consent,
        "Continuer",
        "<script src=https://sdk.privacy-center.org/didomi.js></script>",
        "<p>Nous et nos partenaires utilisons des cookies et traitons vos données personnelles pour diffuser des publicités personnalisées et mesurer l'audience.</p><button>Continuer sans accepter</button><button>Tout accepter</button>",
        "<div id=didomi-host></div>",
    ),
    (
        "contentpass",
        Consent,
        "HOST",
        "",
        "<h1>Weiter mit Werbung oder im Abo</h1><p>Mit Werbung weiterlesen: Wir und unsere Partner verarbeiten Ihre personenbezogenen Daten, um personalisierte Werbung auszuspielen. Cookies werden gesetzt.</p><button>Alle akzeptieren</button>",
        "<div class=pur-abo></div>",
    ),
    (
        "own zh",
        Consent,
        "隐私提示",
        "",
        "<p>在您继续之前，请先同意我们使用 Cookie。我们重视您的隐私，请阅读隐私政策与用户协议。</p><button>同意并继续</button><button>全部拒绝</button>",
        "",
    ),
    (
        "own",
        Consent,
        "Cookies",
        "",
        "<h1>We value your privacy</h1><p>You need to accept cookies to see HOST. We and our partners process personal data for personalised ads.</p><button>Agree and continue</button>",
        "",
    ),
    (
        "discuz",
        Login,
        "提示信息 - 论坛 - Powered by Discuz!",
        "",
        "<div id=messagetext class=alert_info><p>您需要登录后才可以查看或下载附件，没有账号？立即注册</p></div><form><p>用户名 <input name=username></p><p>密码 <input type=password name=password></p><button>登录</button><a href=/lost>找回密码</a></form>",
        "",
    ),
    (
        "discuz",
        Login,
        "提示信息",
        "",
        "<p>抱歉，您尚未登录，没有权限访问该版块</p><form>用户名<input name=username> 密码<input type=password> <button>登录</button> 忘记密码</form>",
        "",
    ),
    (
        "discuz",
        Login,
        "提示信息",
        "",
        "<p>抱歉，本帖要求阅读权限高于 20 才能浏览</p><a href=javascript:history.back()>[ 点击这里返回上一页 ]</a>",
        "",
    ),
    (
        "own zh",
        Login,
        "登录后查看更多",
        "",
        "<p>请登录后查看完整内容</p><button>微信扫码登录</button><button>密码登录</button>",
        "",
    ),
    (
        "phpbb",
        Login,
        "Forum - Login",
        "",
        "<h2>The board requires you to be registered and logged in to view this forum.</h2><p>You need to log in to view this topic.</p><form>Username: <input name=username> Password: <input type=password><a href=/x>I forgot my password</a></form>",
        "",
    ),
    (
        "vbulletin",
        Login,
        "Forums",
        "",
        "<p>You are not logged in or you do not have permission to access this page. This could be due to one of several reasons:</p><ol><li>You are not logged in. Fill in the form at the bottom of this page and try again.</li><li>You may not have sufficient privileges to access this page.</li></ol><form><input name=u><input type=password name=p><button>Log in</button></form>",
        "",
    ),
    (
        "wordpress",
        Login,
        "Members area",
        "",
        "<h1>Members only</h1><p>This content is for members only. Please log in to view it, or create an account to continue.</p>",
        "",
    ),
    (
        "facebook",
        Login,
        "Log in to Facebook",
        "",
        "<p>You must log in to continue.</p><form><input name=email><input type=password name=pass><button>Log In</button></form><a href=/r>Forgot password?</a><a href=/s>Create new account</a>",
        "",
    ),
    (
        "own de",
        Login,
        "Anmeldung",
        "",
        "<p>Bitte melden Sie sich an, um diesen Inhalt zu sehen.</p><form><input name=u><input type=password><button>Anmelden</button></form>",
        "",
    ),
    (
        "own ja",
        Login,
        "会員ページ",
        "",
        "<p>このページの閲覧にはログインが必要です。ログインしてください。</p><form><input name=id><input type=password></form>",
        "",
    ),
    (
        "sedo",
        Parked,
        "HOST - This website is for sale! - HOST Resources and Information.",
        "<script src=https://img.sedoparking.com/templates/bg/x.js></script>",
        "<h1>HOST</h1><p>This domain may be for sale!</p><p>Related Searches</p><ul><li><a href=/1>Web Hosting</a><li><a href=/2>Cheap Flights</a><li><a href=/3>Car Insurance</a><li><a href=/4>Online Degrees</a></ul><p>This webpage was generated by the domain owner using Sedo Domain Parking. Disclaimer: Sedo maintains no relationship with third party advertisers.</p>",
        "",
    ),
    (
        "godaddy",
        Parked,
        "HOST",
        "<script>window.LANDER_SYSTEM='PW'</script><link href=https://img1.wsimg.com/parking-lander/static/css/main.css rel=stylesheet>",
        "",
        "<div id=root></div>",
    ),
    (
        "godaddy",
        Parked,
        "HOST is parked",
        "",
        "<h1>HOST</h1><p>This domain is parked free, courtesy of GoDaddy.com.</p><a href=https://www.godaddy.com/domainsearch>Get This Domain</a>",
        "",
    ),
    (
        "bodis",
        Parked,
        "HOST",
        "<script src=https://www.bodis.com/js/parking.js></script><script>window.park='TOKEN'</script>",
        "",
        "<div id=target style='opacity:0'></div>",
    ),
    (
        "dan",
        Parked,
        "HOST is for sale",
        "<link href=https://cdn0.dan.com/assets/x.css rel=stylesheet>",
        "<h1>The domain name HOST is for sale!</h1><p>Buy now for USD 2,495 or make an offer.</p><p>Free ownership transfer. Safe payments. Buyer protection program.</p>",
        "",
    ),
    (
        "hugedomains",
        Parked,
        "HOST is for sale | HugeDomains",
        "<script src=https://www.hugedomains.com/domain_profile.js></script>",
        "<h1>HOST</h1><p>This domain is for sale: $3,595. Start using this domain right away. 30-day money back guarantee.</p>",
        "",
    ),
    (
        "namecheap",
        Parked,
        "HOST - Registered at Namecheap.com",
        "",
        "<h1>HOST</h1><p>This domain is registered at Namecheap. This domain was recently registered at Namecheap. Please check back later!</p>",
        "",
    ),
    (
        "own zh",
        Parked,
        "HOST 域名出售",
        "",
        "<h1>HOST</h1><p>您正在访问的域名可以转让！</p><p>购买此域名请联系：QQ 123456，或通过域名中介交易。报价请发邮件。</p>",
        "",
    ),
    (
        "aliyun",
        Parked,
        "HOST 正在出售",
        "<script>location.href='https://mi.aliyun.com/detail/online.html?domainName=HOST'</script>",
        "<p>该域名正在出售，点击查看价格</p>",
        "",
    ),
    (
        "own zh",
        Parked,
        "域名已过期",
        "",
        "<p>该域名已过期，请及时联系域名注册商续费。</p>",
        "",
    ),
    (
        "own de",
        Parked,
        "HOST",
        "",
        "<h1>HOST</h1><p>Diese Domain steht zum Verkauf. Unterbreiten Sie uns ein Angebot.</p>",
        "",
    ),
    (
        "parklogic",
        Parked,
        "HOST",
        "<script src=https://d38psrni17bvxu.cloudfront.net/themes/x.js></script>",
        "<p>HOST</p><p>Related Links</p><p><a href=/a>Loans</a> <a href=/b>Hotels</a></p>",
        "",
    ),
    (
        "plugins",
        ComingSoon,
        "Coming Soon",
        "<link rel=stylesheet href=/wp-content/plugins/coming-soon/themes/default/style.css>",
        "<h1>Our New Website Is Coming Soon</h1><p>Stay tuned! Be the first to know when we launch.</p>",
        "<form><input type=email><button>Notify me</button></form>",
    ),
    (
        "plugins",
        ComingSoon,
        "Maintenance mode",
        "",
        "<h1>Website is Under Construction</h1><p>We'll be back soon. Thank you for your patience.</p>",
        "",
    ),
    (
        "shopify",
        ComingSoon,
        "HOST",
        "<body class=template-password>",
        "<h1>Opening soon</h1><p>Be the first to know when we launch.</p><p>Enter store using password</p>",
        "<input type=email>",
    ),
    (
        "wordpress",
        ComingSoon,
        "Maintenance",
        "",
        "<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>",
        "",
    ),
    (
        "own zh",
        ComingSoon,
        "网站建设中",
        "",
        "<h1>网站正在建设中</h1><p>敬请期待</p>",
        "",
    ),
    (
        "own zh",
        ComingSoon,
        "系统维护",
        "",
        "<p>网站维护中，系统升级中，请稍后再来。</p>",
        "",
    ),
    (
        "baota",
        ComingSoon,
        "恭喜，站点创建成功！",
        "",
        "<h1>恭喜, 站点创建成功！</h1><h3>这是默认index.html，本页面由系统自动生成</h3><ul><li>本页面在FTP根目录下的index.html</li><li>您可以修改、删除或覆盖本页面</li></ul>",
        "",
    ),
    (
        "nginx",
        ComingSoon,
        "Welcome to nginx!",
        "",
        "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p><p>Thank you for using nginx.</p>",
        "",
    ),
    (
        "own ja",
        ComingSoon,
        "準備中",
        "",
        "<p>ただいま準備中です。公開までしばらくお待ちください。</p>",
        "",
    ),
    (
        "own de",
        ComingSoon,
        "HOST",
        "",
        "<h1>Hier entsteht eine neue Internetpräsenz</h1>",
        "",
    ),
];

/// Names and numbers that a page is filled with.
const HOSTS: [&str; 4] = [
    "www.example.com",
    "kleine-zeitung.example",
    "shop.example.cn",
    "forum.example.org",
];

/// All walls: each template as it is, in a site's frame, and, where its words alone say it, without
/// scripts and marks.
pub fn walls() -> Vec<Page> {
    let mut out = Vec::new();
    for (number, (vendor, kind, title, head, words, marks)) in TEMPLATES.iter().enumerate() {
        let filled = |html: &str| fill(html, number);
        let page = |variant, html: String| Page {
            vendor,
            kind: kind.clone(),
            variant,
            html,
        };
        out.push(page("plain", filled(&format!(
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{words}{marks}</body></html>"
        ))));
        let logo = "<div class=logo><a href=/>HOST</a></div>";
        let foot = "<div class=foot>&copy; 2024 HOST</div><script>var t='TOKEN';function q(a){return a*RAYNUM}</script>";
        out.push(page("framed", filled(&format!(
            "<!DOCTYPE html><html lang=en><head><title>{title}</title>\n<meta name=viewport content='width=device-width'>\n{head}</head>\n<body class=page>\n{logo}\n<div class=box><div class=inner>\n{words}\n{marks}\n</div></div>\n{foot}</body></html>"
        ))));
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        if letters > 60 && number % 2 == 0 {
            out.push(page("words alone", filled(&format!(
                "<html><head><title>{title}</title></head><body><main><section>{words}</section></main></body></html>"
            ))));
        }
    }
    out
}

fn fill(html: &str, number: usize) -> String {
    let ray = format!(
        "{:016x}",
        (number as u64 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    );
    let token = format!("{}-{:x}", &ray[3..11], number * 7919 + 65_537);
    html.replace("RAYNUM", &(number * 31 + 7).to_string())
        .replace("HOST", HOSTS[number % HOSTS.len()])
        .replace("RAY", &ray)
        .replace("TOKEN", &token)
        .replace("PXTOKEN", &token)
        .replace(" IP", &format!(" 203.0.113.{}", number % 250 + 1))
}

const PROSE: &str = "The bridge had stood for two hundred years when the river rose for the third time that \
    winter. On Thursday night the water reached the parapet, and by the morning the middle arch was gone. \
    Nobody was hurt, said the mayor, because the road had been closed in the evening. An engineer who looked at \
    what is left was not surprised: the piers stand on wooden piles, and the piles had been dry for a summer.";

/// Pages that are none, each with a wall's words or marks.
pub fn no_walls() -> Vec<(&'static str, String)> {
    let mut all = articles();
    all.extend(open_to_members());
    all.extend(short_texts_of_their_own());
    all.extend(pages_with_marks());
    all.extend(rows_of_their_own());
    all.extend(links_that_say_it());
    all
}

fn table(rows: &[(&str, &str)]) -> String {
    let rows = rows
        .iter()
        .map(|(key, value)| format!("<tr><td>{key}</td><td>{value}</td></tr>"));
    format!("<table>{}</table>", rows.collect::<String>())
}

/// Entries, tables and verses: they have no sentence, and say more than a wall.
fn rows_of_their_own() -> Vec<(&'static str, String)> {
    let names = table(&[
        ("域名", "haitang.com"),
        ("类型", "双拼"),
        ("注册商", "阿里云"),
        ("域名出售", "一口价"),
        ("到期", "明年三月"),
        ("备案", "无"),
        ("适合", "花店、民宿、化妆品"),
        ("历史", "曾用于旅游论坛"),
    ]);
    let verses = "<p>Knocked on the door of your heart tonight<br>Access denied, access denied<br>\
        Neon on the water, nothing inside<br>Access denied</p><p>Who are you to turn me away<br>\
        Late in the rain on a summer day</p>";
    vec![
        (
            "a name at its price",
            article("一口价：haitang.com", &names),
        ),
        ("a song's words", article("Heartless - lyrics", verses)),
    ]
}

/// Links whose text is what a wall says, of other pages.
fn links_that_say_it() -> Vec<(&'static str, String)> {
    let titles = [
        "修车记",
        "河边的树",
        "域名出售",
        "旧书摊",
        "联系方式变更",
        "冬天的菜",
    ];
    let list: String = titles
        .iter()
        .map(|title| format!("<li><a href=/t/{}>{title}</a></li>", title.len()))
        .collect();
    vec![
        (
            "a list with one such title",
            page(
                "<title>版块</title>",
                &format!("<h2>版块</h2><ul>{list}</ul>"),
            ),
        ),
        (
            "a short post above links of friends",
            article(
                "雨",
                "<p>今天下雨，没有出门。</p><div>友情链接：<a href=http://a.test>站长之家</a> \
                 <a href=http://b.test>域名出售</a></div><p>联系方式</p>",
            ),
        ),
    ]
}

/// Short texts that begin with what walls say, and go on with something else.
fn short_texts_of_their_own() -> Vec<(&'static str, String)> {
    const VERSES: &str = "The lamp was low and the river was high. A ferry came out of the fog with nobody at the oars. \
        The old men on the bank took off their hats, and the bells began to ring for the harvest. A boy counted the lanterns and came to nine.";
    let text = |title, text: &str| article(title, &format!("<p>{text} {VERSES}</p>"));
    vec![
        (
            "a song",
            text(
                "Access denied (song)",
                "Access denied, she said, access denied to my heart.",
            ),
        ),
        (
            "a story of a domain",
            text(
                "This domain is for sale, she said",
                "A short story. This domain is for sale.",
            ),
        ),
        (
            "a report on an office",
            text(
                "Too many requests for help",
                "Too many requests reached the office. Please try again later, they said.",
            ),
        ),
        (
            "how a router is set up",
            text(
                "How to log in to a router",
                "Please log in with the user name admin. You need to sign in to continue with the setup.",
            ),
        ),
        (
            "what a notice means",
            article(
                "请先登录的意思",
                "<p>请先登录后再操作是常见的提示。早年的论坛没有这种说法，游客可以随便发帖。后来广告越来越多，版主忙不过来，\
                 才把发帖的权限收了回去。这句话从此传开，连图书馆的公用电脑上也贴着它。</p>",
            ),
        ),
    ]
}

/// Pages that may be read by all, and answered by those who sign in.
fn open_to_members() -> Vec<(&'static str, String)> {
    vec![
        (
            "a short thread that may be answered by members",
            article(
                "周末去哪里钓鱼",
                "<p>有没有人知道城北水库现在能不能钓鱼？上次去的时候收费三十。</p><p>您需要登录后才可以回帖 登录 | 立即注册</p>",
            ),
        ),
        (
            "a short post with comments for members",
            article(
                "河边散步",
                "<p>昨天沿着河边走了两个小时，看到了三只白鹭和一只翠鸟。</p><div id=comments><p>您还没有登录，请先登录后发表评论。</p></div>",
            ),
        ),
        (
            "a post with an attachment for members",
            article(
                "新版地图",
                "<p>整理了一份新的登山地图，路线比去年多了两条。</p><p>您需要登录才可以下载或查看，没有账号？立即注册</p>",
            ),
        ),
        (
            "a short note with comments for members",
            article(
                "A walk",
                "<p>We walked along the river for two hours and saw a kingfisher.</p><p>You need to log in to comment or reply.</p>",
            ),
        ),
    ]
}

fn page(head: &str, body: &str) -> String {
    format!("<html><head>{head}</head><body>{body}</body></html>")
}

fn article(title: &str, text: &str) -> String {
    page(
        &format!("<title>{title}</title>"),
        &format!(
            "<nav><a href=/>Home</a><a href=/b>Blog</a><a href=/c>About</a></nav>\
             <article><h1>{title}</h1>{text}</article>"
        ),
    )
}

fn articles() -> Vec<(&'static str, String)> {
    vec![
        (
            "an article about captchas",
            article(
                "How to verify you are human, and why it annoys people",
                &format!(
                    "<p>Everybody knows the sentence: verify you are human. {PROSE}</p><p>Just a moment... checking your browser before accessing the site, says Cloudflare, and {PROSE}</p>"
                ),
            ),
        ),
        (
            "a reference of status codes",
            article(
                "429 Too Many Requests",
                &format!(
                    "<p>The HTTP 429 Too Many Requests client error response status code says that the client has sent too many requests in a given amount of time. This mechanism is commonly called rate limiting. {PROSE}</p><p>{PROSE}</p>"
                ),
            ),
        ),
        (
            "a release that is coming soon",
            article(
                "Version 4 is coming soon",
                &format!("<p>Version 4 is coming soon, and here is what it brings. {PROSE}</p>"),
            ),
        ),
        (
            "a short post that looks forward",
            article(
                "暑期活动即将推出",
                "<p>今年夏天，图书馆为小读者准备了六场讲座和两次参观，时间定在每周六上午。报名从下周一开始，名额有限，先到先得。讲座内容包括天文、昆虫和古代桥梁，主讲人都是本市中学的老师。参观则安排在七月下旬，由馆员带队，敬请期待。</p>",
            ),
        ),
        (
            "a story about a domain",
            article(
                "How we sold a domain",
                &format!(
                    "<p>For ten years the page said that this domain is for sale. {PROSE}</p>"
                ),
            ),
        ),
        (
            "a question about a firewall",
            article(
                "Requests fail with \"access denied\"",
                &format!(
                    "<div class=post><p>My script gets \"Access Denied. You don't have permission to access this resource\" from a site behind Akamai; curl does not. What am I to do?</p></div><div class=post><p>{PROSE}</p></div><div class=post><p>Ask the owner of the site; they can let your address in. {PROSE}</p></div>"
                ),
            ),
        ),
        (
            "a Chinese article about slider checks",
            article(
                "滑动验证是怎样工作的",
                "<p>很多网站在登录时会要求用户拖动滑块，把拼图移动到缺口的位置。系统检测到您的鼠标轨迹之后，会把它和大量真人的轨迹比较，从而判断对方是不是程序。这种做法起初只用在登录页面，后来也用来保护评论和搜索。</p><p>研究者发现，单靠轨迹并不可靠：录下来的真人轨迹可以反复播放。因此较新的系统还会看浏览器的环境、网络地址的历史，以及同一账号在别处的行为。下面我们用一个简单的例子说明这些特征怎样组合，又会在什么情况下误判普通读者，并介绍两种降低误判的办法，最后给出一些建议，供站长参考。</p>",
            ),
        ),
    ]
}

fn pages_with_marks() -> Vec<(&'static str, String)> {
    vec![
        (
            "an article behind a firewall that puts its script on each page",
            page(
                "<title>The bridge</title><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script><script src=/_Incapsula_Resource?SWJIYLWA=719></script><script src=https://js.datadome.co/tags.js></script>",
                &format!("<h1>The bridge</h1><p>{PROSE}<p>{PROSE}"),
            ),
        ),
        (
            "a contact form with a captcha",
            page(
                "<title>Contact us</title><script src=https://www.google.com/recaptcha/api.js></script>",
                "<h1>Contact us</h1><form><input name=name><input type=email name=email><textarea name=message></textarea><p>Please verify that you are human.</p><div class=g-recaptcha></div><button>Send</button></form>",
            ),
        ),
        (
            "a page with a cookie banner",
            page(
                "<title>Plumber in Kiel</title><script src=https://cdn.cookielaw.org/onetrust.js></script>",
                "<h1>Plumber in Kiel</h1><p>We mend pipes, taps and boilers in Kiel and around it, on Sundays too. Call us before eight and we come the same day, or write to us at any time.</p><p>Our shop is beside the harbour, opposite the fish market; there is a place to park in the yard, and the bus stops at the door. We speak Danish as well. Since 1984 we have been a family firm; each of us has learnt the trade.</p><div id=onetrust-consent-sdk><p>We value your privacy. We and our partners process personal data.</p><button>Accept all</button><button>Reject all</button></div>",
            ),
        ),
        (
            "a shop with a box to sign in",
            page(
                "<title>Tea and coffee</title>",
                "<form>Login <input name=u> Password <input type=password> <a href=/l>Forgot password?</a></form><h1>Tea and coffee</h1><ul><li><a href=/1>Assam</a> 5 &euro;<li><a href=/2>Darjeeling</a> 7 &euro;<li><a href=/3>Ceylon</a> 4 &euro;</ul>",
            ),
        ),
        (
            "a policy about cookies",
            page(
                "<title>Cookie policy</title>",
                "<h1>Cookie policy</h1><p>We use cookies and similar techniques. We and our partners process personal data such as your address to show personalised ads; you may accept all or reject all of them.</p><p>We value your privacy, and you can withdraw your consent at any time.</p>",
            ),
        ),
        (
            "an application without its scripts",
            page(
                "<title>App</title><script src=https://www.google.com/recaptcha/api.js></script>",
                "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>",
            ),
        ),
        (
            "a thin page",
            page(
                "<title>Hello</title>",
                "<p>Hello, world. I will write here one day.</p>",
            ),
        ),
        ("an empty page", page("", "")),
    ]
}
