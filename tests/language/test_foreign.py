from __future__ import annotations

import pytest

from caveat.language.foreign import is_foreign

ENGLISH = (
    "The harbour office is open from nine to five. You can rent a boat by the hour, and the price is on the board at "
    "the pier. Dogs are not allowed in the boats, but they may wait in the garden of the office while you are out. "
    "If it rains, the boats stay where they are, and you get your money back or a voucher that is good for a year."
)


@pytest.mark.parametrize(
    "text",
    [
        "Das Hafenamt ist von neun bis fünf Uhr geöffnet. Boote werden stundenweise vermietet, und der Preis steht auf "
        "der Tafel am Steg. Hunde dürfen nicht in die Boote, aber im Garten des Amtes warten, solange ihre Besitzer "
        "unterwegs sind. Bei Regen bleiben die Boote liegen, und das Geld wird zurückgezahlt oder gutgeschrieben.",
        "Le bureau du port est ouvert de neuf heures à cinq heures. Les bateaux se louent à l'heure, et le prix est "
        "affiché sur le tableau du quai. Les chiens ne sont pas admis dans les bateaux, mais ils peuvent attendre dans "
        "le jardin du bureau pendant que leurs maîtres sont partis. S'il pleut, les bateaux restent au port.",
        "Контора порта открыта с девяти до пяти. Лодки сдаются на час, цена указана на доске у пристани. Собак в лодки "
        "не пускают, но они могут подождать в саду конторы.",
        "港の事務所は九時から五時まで開いています。ボートは一時間単位で借りることができ、料金は桟橋の掲示板に書いてあります。"
        "犬はボートに乗れませんが、事務所の庭で待つことができます。雨の日はボートは出ません。代金は返金されます。",
    ],
    ids=["German", "French", "Russian", "Japanese"],
)
def test_other_languages(text: str) -> None:
    assert is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "港务处九点到五点开放。船按小时出租，价格写在码头的牌子上。狗不能上船，但可以在港务处的花园里等候。下雨时船不出港，"
        "钱会退还，或者换成一年内有效的代金券。船上应当穿救生衣，儿童必须有成人陪同，十二岁以下的儿童免费。",
        "",
        "Guten Tag",
        "| boat | length |\n| Mira | 7 |\n| Ada | 9 |\n" * 4,
        "Harbour office\nPier 4, Mill Street 12, Lindholm\nEmail: office@example.org\nOpening hours: Monday, Friday\n"
        "Boat yard\nDock Road 3, Arvo\nEmail: yard@example.org\nRepairs and spare parts for small boats\n"
        "Sailing school\nQuay 7, Lindholm\nCourses: beginners, juniors, families\nPhone: 555 0134\n",
        "def moored(boats): return [boat for boat in boats if boat.pier]\n" * 2,
    ],
    ids=["English", "Chinese", "nothing", "too short to tell", "a table", "addresses", "a program"],
)
def test_what_is_read(text: str) -> None:
    assert not is_foreign(text)
